// Loaded into the measured servers, so that memory is compared after a garbage collection.
process.on('SIGUSR2', () => globalThis.gc?.())

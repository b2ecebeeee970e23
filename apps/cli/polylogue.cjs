#!/usr/bin/env node
'use strict'
// Starts the installed package. CommonJS with old syntax only, so that an old Node can say what is wrong.
const module_ = require('node:module')

const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write(
    'polylogue: needs Node 24 or newer, and this is ' +
      process.versions.node +
      '. See https://nodejs.org/en/download.\n',
  )
  process.exitCode = 1
} else {
  // Compiled code is kept between starts.
  if (module_.enableCompileCache) module_.enableCompileCache()
  void import('./src/main.js')
}

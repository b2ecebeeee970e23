#!/usr/bin/env node
'use strict'
// Starts the installed package. CommonJS without new syntax, so that an old Node can say what is wrong.
var module_ = require('node:module')

var major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  process.stderr.write('polylogue: needs Node 24 or newer, and this is ' + process.versions.node + '. See https://nodejs.org/en/download.\n')
  process.exitCode = 1
} else {
  // Compiled code is kept between starts.
  if (module_.enableCompileCache) module_.enableCompileCache()
  import('./src/main.js')
}

#!/usr/bin/env node
import { loadProgram } from '../dist/boot.js';

await loadProgram().program.start();

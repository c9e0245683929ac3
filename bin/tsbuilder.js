#!/usr/bin/env node
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: tsbuilder needs Node 20.19 or later, and this is ${process.versions.node}\nhint: install it from https://nodejs.org\n`,
  );
  process.exit(1);
}
require("../dist/cli/start.cjs");

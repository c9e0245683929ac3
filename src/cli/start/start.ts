import { join } from "node:path";
import { findOwnPackage } from "../../packaging/own-package.ts";
import type { main as Main } from "../main.ts";
import { openCodeFolder } from "./code-folder.ts";
import { Scripts } from "./scripts.ts";
import { fitShortRun } from "./short-run.ts";

// The only file of the bundle that Node loads by itself: all others are scripts, whose compiled code is kept. It is no
// module: to load one, Node loads its loader of modules first, which takes as long as --version does.

const argv = process.argv.slice(2);
const { folder, version } = findOwnPackage();

// A reader such as `head` closes the pipe early: there is nowhere left to write.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(
    `error: the output cannot be written (${error.code})\nhint: check where it is sent to\n`,
  );
  process.exit(1);
});

// Shells and programs call `--version` and wait for it, so nothing else is loaded.
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`${version}\n`);
} else {
  fitShortRun(argv);
  const scripts = new Scripts(join(folder, "dist/cli"), openCodeFolder(version, process.env));
  process.once("exit", () => scripts.keepCode());
  const { main } = scripts.load("main.cjs") as { readonly main: typeof Main };
  void main(argv);
}

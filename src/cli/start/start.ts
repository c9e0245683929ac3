import { join } from "node:path";
import { findOwnPackage } from "../../packaging/own-package.ts";
import type { main as Main } from "./main.ts";
import { Scripts, fitShortRun, openCodeFolder } from "./scripts.ts";

// The only file of the bundle that Node itself loads; all others are scripts whose compiled code is kept. It is not an
// ES module: loading one would first load Node's module loader, which takes as long as `--version`.

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

// Shells and programs wait for `--version`, so nothing else is loaded.
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`${version}\n`);
} else {
  fitShortRun(argv);
  const scripts = new Scripts(join(folder, "dist/cli"), openCodeFolder(version, process.env));
  process.once("exit", () => scripts.keepCode());
  const { main } = scripts.load("main.cjs") as { readonly main: typeof Main };
  void main(argv);
}

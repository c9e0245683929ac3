import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findOwnPackage } from "../packaging/own-package.ts";

const argv = process.argv.slice(2);

// Whoever reads only the first lines, as `head` does, closes the pipe: there is nobody left to tell anything.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

// The version is asked for by scripts and shells, which wait for it: nothing else is loaded.
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`${findOwnPackage().version}\n`);
} else {
  const [{ dispatch }, { describeError, terminal }] = await Promise.all([
    import("./dispatch.ts"),
    import("./report.ts"),
  ]);
  try {
    process.exitCode = await dispatch(argv, process.cwd(), terminal);
  } catch (error) {
    terminal.note(describeError(error, readSource));
    process.exitCode = 1;
  }
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch {
    return undefined;
  }
}

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { shownCommands, unknownFlags } from "../../book/shown-commands.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";

// Commands of kubectl and helm that the book's pages only show exist, and have these flags.

describe.each(["kubectl", "helm"] as const)("%s", (name) => {
  const programs = findPrograms("36");
  if ("missing" in programs) console.log(`left out: ${name}: ${programs.missing}`);
  const shown = shownCommands.filter(({ program }) => program === name);

  test.skipIf("missing" in programs)("has the commands and flags that the pages show", () => {
    const program = (programs as { readonly [name: string]: string })[name]!;
    const help = (...args: string[]): string => execFileSync(program, args, { encoding: "utf8" });
    const common = name === "kubectl" ? help("options") : help("--help");
    const known = help("--help");
    const wrong = shown.flatMap(({ at, args: [command = "", ...args] }) => {
      const title = `${at}: ${name} ${command}`;
      // The help of a command that does not exist is that of the program.
      if (!new RegExp(`^ +${command} `, "m").test(known)) return [`${title} does not exist`];
      const first = args.findIndex((word) => word.startsWith("-"));
      const words = first === -1 ? args : args.slice(0, first);
      return unknownFlags(args, common + help(command, ...words, "--help")).map(
        (flag) => `${title} has no ${flag}`,
      );
    });
    expect(shown.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });
});

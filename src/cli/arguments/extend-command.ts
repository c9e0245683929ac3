import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mayHavePlugins } from "../../project/project.ts";
import { findProjectRoot, projectFile } from "../../project/store.ts";
import type { Command } from "./command.ts";
import { isTyped } from "./global-flags.ts";

/** Adds the flags of plugins to a command that has a flag `--plugins`. Without plugins, no code of theirs is loaded. */
export async function extendCommand(
  name: string,
  command: Command,
  words: readonly string[],
  cwd: string,
  { isCompletion = false } = {},
): Promise<Command> {
  if (!Object.hasOwn(command.flags, "plugins")) return command;
  const root = name === "init" ? undefined : findProjectRoot(cwd);
  const text = root === undefined ? "" : readFileSync(join(root, projectFile), "utf8");
  if (!isTyped(words, "--plugins") && (root === undefined || !mayHavePlugins(text))) return command;
  const { withPlugins } = await import("./with-plugins.ts");
  const isHelp = isTyped(words, "--help", "-h");
  try {
    return withPlugins(name, command, words, { root: root ?? cwd, text, isCompletion, isHelp });
  } catch (error) {
    // A missing plugin must not keep `--help` from describing tsbuilder's own flags.
    if (isHelp) return command;
    throw error;
  }
}

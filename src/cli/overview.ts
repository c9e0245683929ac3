import { commands } from "./commands/index.ts";

/** The commands, with one line each; with a word, only those that start with it. */
export function overview(word?: string): string {
  const listed = commands.filter(({ name }) => word === undefined || name.startsWith(`${word} `));
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const head =
    word === undefined
      ? ["Build Kubernetes operators in TypeScript.", "", "Usage: tsbuilder <command> [flags]"]
      : [`Usage: tsbuilder ${word} <command> [flags]`];
  const foot = ["tsbuilder <command> --help tells a command's flags."];
  return [...head, "", "Commands:", ...lines, "", ...foot].join("\n");
}

import { commands } from "./commands/index.ts";

/** The list of commands; with a word, only those that start with it. */
export function overview(word?: string): string {
  const listed = commands.filter(({ name }) => word === undefined || name.startsWith(`${word} `));
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const head =
    word === undefined
      ? ["Build Kubernetes operators in TypeScript.", "", "Usage: tsbuilder <command> [flags]"]
      : [`Usage: tsbuilder ${word} <command> [flags]`];
  const foot = [
    'Use "tsbuilder <command> --help" for more information about a command.',
    "--verbose says which programs run and which files are written, and prints the stack of errors.",
    "A flag that is omitted is read from the environment: --project-name from TSBUILDER_PROJECT_NAME.",
  ];
  return [...head, "", "Commands:", ...lines, "", ...foot].join("\n");
}

import { once } from "node:events";

/** Parses `--name=value`, `--name value` and `--switch`. As in Go, the last of repeated flags wins, and `lists` are joined. */
export function parseFlags(
  argv: readonly string[],
  lists: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  const set = (name: string, value: string): void => {
    const before = lists.has(name) ? flags.get(name) : undefined;
    flags.set(name, before === undefined ? value : `${before},${value}`);
  };
  for (let index = 0; index < argv.length; index++) {
    const [, name, value] = /^--?([^=]+)(?:=(.*))?$/s.exec(argv[index]!) ?? [];
    if (name === undefined) continue;
    const next = argv[index + 1];
    if (value !== undefined) set(name, value);
    else if (next !== undefined && !next.startsWith("-")) set(name, argv[++index]!);
    else set(name, "true");
  }
  return flags;
}

/** Resolves when the process receives a signal to stop. */
export async function untilTerminated(): Promise<void> {
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
}

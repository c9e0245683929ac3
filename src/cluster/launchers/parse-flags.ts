/** Parses flags as Go programs do: `--name=value`, `--name value`, `--switch`. The last of repeated flags wins. */
export function parseFlags(argv: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (let index = 0; index < argv.length; index++) {
    const found = /^--?([^=]+)(?:=(.*))?$/s.exec(argv[index]!);
    if (!found) continue;
    const [, name, value] = found;
    const next = argv[index + 1];
    if (value !== undefined) flags.set(name!, value);
    else if (next !== undefined && !next.startsWith("-")) flags.set(name!, argv[++index]!);
    else flags.set(name!, "true");
  }
  return flags;
}

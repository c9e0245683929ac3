/**
 * Chooses the newest version that is wanted: `1.34.1` is that one, `1.34` its newest patch, nothing the newest of
 * all. A pre-release is only chosen by its full name.
 */
export function chooseVersion(offered: readonly string[], wanted: string | undefined): string | undefined {
  const name = wanted?.replace(/^v/, "");
  if (name !== undefined && offered.includes(name)) return name;
  return offered
    .filter((version) => /^\d+\.\d+\.\d+$/.test(version))
    .filter((version) => name === undefined || version.startsWith(`${name}.`))
    .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .at(-1);
}

/**
 * Chooses the latest matching version: `1.34.1` matches only itself, `1.34` its latest patch, undefined the latest of
 * all. A pre-release must be named in full.
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

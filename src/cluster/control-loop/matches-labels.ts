/** Returns whether labels include all wanted ones: this is how Services and node selectors select. */
export function matchesLabels(
  wanted: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

import type { Role } from "./roles.ts";

/** Adds comments above each rule of a role with the markers it comes from. */
export function addProvenance(text: string, roles: readonly Role[]): string {
  const rules = roles.flatMap((role) => role.rules);
  let next = 0;
  let isInRules = false;
  return text
    .split("\n")
    .flatMap((line) => {
      if (/^\S/u.test(line) && !line.startsWith("- ")) isInRules = line === "rules:";
      if (!isInRules || !line.startsWith("- ")) return [line];
      const { origins = [] } = rules[next++] ?? {};
      return [...origins.map((origin) => `# ${origin}`), line];
    })
    .join("\n");
}

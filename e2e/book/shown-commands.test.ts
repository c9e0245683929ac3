import { expect, test } from "vitest";
import { parseTsbuilder, shownCommands, unknownFlags } from "./shown-commands.ts";

const own = shownCommands.filter(({ program }) => program === "tsbuilder");

test("tsbuilder has the commands, flags and values that the pages only show", async () => {
  const wrong: string[] = [];
  for (const { at, args } of own)
    await parseTsbuilder(args).catch((error: Error) =>
      wrong.push(`${at}: tsbuilder ${args.join(" ")}: ${error.message}`),
    );
  expect(wrong).toEqual([]);
});

test("the pages show the commands of programs that are checked, or have no flags that could be wrong", () => {
  const programs = new Set(shownCommands.map(({ program }) => program));
  // Flags of cosign and docker were read in their documentation: neither is installed for tests. What node and vitest run here is tried
  // by journeys: an ejected project's scripts, and tests of the repository.
  for (const unchecked of ["cosign", "docker", "node", "vitest"])
    expect(programs.delete(unchecked)).toBe(true);
  const withoutFlags = ["eval", "export", "go", "jq", "kustomize", "make"];
  const checked = ["git", "helm", "kubectl", "npm", "tsbuilder"];
  expect([...programs].toSorted()).toEqual([...withoutFlags, ...checked].toSorted());
});

test.each([
  { args: ["dev", "--sample"], message: /--sample/ },
  { args: ["devel"], message: /no command/ },
  { args: ["build", "--platform"], message: /--platform/ },
  { args: ["create", "api", "--group", "apps", "--version", "v1"], message: /kind/ },
])("$args is found to be wrong", async ({ args, message }) => {
  await expect(parseTsbuilder(args)).rejects.toThrow(message);
});

test("a flag that no help names is found", () => {
  const help = "    -o, --output='':\n  --replicas int   how many\n";
  expect(
    unknownFlags(["web", "-o", "wide", "--output=json", "--replica", "--replicas", "2", "-A"], help),
  ).toEqual(["--replica", "-A"]);
});

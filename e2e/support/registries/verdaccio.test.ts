import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { prepareVerdaccio } from "./verdaccio.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "prepare-verdaccio-"));
  mkdirSync(join(root, "bin"));
});
afterEach(() => rmSync(root, { recursive: true }));

const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${join(root, "bin")}${delimiter}${process.env["PATH"]}`,
  XDG_CACHE_HOME: root,
  ...more,
});

/** Puts a program in the place of npm, which answers as one with a registry of the environment. */
function standIn(install: string): void {
  const file = join(root, "bin/npm");
  const answer = 'if [ "$1" = config ]; then echo "${npm_config_registry:-none}"; exit; fi';
  writeFileSync(file, `#!/bin/sh\n${answer}\n${install}\n`);
  chmodSync(file, 0o755);
}

const installs = "mkdir -p node_modules/verdaccio/bin && touch node_modules/verdaccio/bin/verdaccio";
const cached = (): string[] => readdirSync(join(root, "tsbuilder"));

test("installs the versions of the lock file from the registry that the environment names", async () => {
  standIn(
    `test -f package-lock.json && echo "$1 $npm_config_registry" > "${join(root, "asked")}" && ${installs}`,
  );
  const mirror = "http://127.0.0.1:9/";
  const prepared = await prepareVerdaccio(environment({ npm_config_registry: mirror }));
  expect(prepared).toHaveProperty("program");
  expect(readFileSync(join(root, "asked"), "utf8")).toBe(`ci ${mirror}\n`);
  expect(existsSync((prepared as { program: string }).program)).toBe(true);
  expect(cached()).toEqual([expect.stringMatching(/^verdaccio-\d+\.\d+\.\d+$/u)]);
});

test("says npm's error instead of its warnings, and leaves nothing behind", async () => {
  standIn('echo "npm warn old" >&2; echo "npm error code E404" >&2; exit 1');
  expect(await prepareVerdaccio(environment())).toEqual({
    missing: "Verdaccio does not install here: npm error code E404",
  });
  expect(cached()).toEqual([]);
});

test("fails where the journey must not be left out", async () => {
  standIn("exit 1");
  await expect(prepareVerdaccio(environment({ TSBUILDER_NEEDS_REGISTRY: "1" }))).rejects.toThrow(
    "Verdaccio does not install here",
  );
});

test("takes what another process has installed meanwhile", async () => {
  standIn(`for folder in "$PWD" "${join(root, "tsbuilder/verdaccio-6.8.0")}"; do
  mkdir -p "$folder" && cd "$folder" && ${installs}
done`);
  expect(await prepareVerdaccio(environment())).toHaveProperty("program");
  expect(cached()).toEqual(["verdaccio-6.8.0"]);
});

test("is missing where there is no npm", async () => {
  const answer = await prepareVerdaccio(environment({ PATH: join(root, "bin") }));
  expect(answer).toEqual({ missing: expect.stringContaining("ENOENT") });
});

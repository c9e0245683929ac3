import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { registryHost } from "../../oracle/real/node/addresses.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";

// Each engine builds the scaffolded Dockerfile and pushes it to a registry with TLS and a login, from which the kubelet
// pulls it.

const { missing, start } = prepareNodeProject("images by Docker Engine, podman and buildah");
const secret = "registry";
let project: NodeProject;

beforeAll(async () => {
  if (missing !== undefined) return;
  project = await start("shop-operator");
  await project.create("init", "--domain", "example.com");
  const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await project.create("create", "api", ...api, "--make=false");
  const { user, password } = project.engines.login;
  const login = [
    `--docker-server=${registryHost}`,
    `--docker-username=${user}`,
    `--docker-password=${password}`,
  ];
  await project.kubectl(`create secret docker-registry ${secret}`, ...login);
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined).each(["docker", "podman", "buildah"])(
  "%s builds and pushes what the kubelet pulls",
  async (tool) => {
    const image = `${registryHost}/${tool}/shop-operator:v1`;
    const target = ["--image", image, "--tool", tool, "--push", "--digest-file", "digest"];
    await project.tsbuilder("build", ...target);
    const digest = readFileSync(join(project.folder, "digest"), "utf8").trim();
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await runHelp(tool, image)).toContain("--leader-elect");
    const pulled = await project.kubectl(`get pod ${tool} --output=jsonpath={..imageID}`);
    expect(pulled).toBe(`${registryHost}/${tool}/shop-operator@${digest}`);
  },
);

/** Runs the image's entry point with `--help` in a pod that ends, and returns its output. */
async function runHelp(name: string, image: string): Promise<string> {
  const spec = JSON.stringify({ spec: { imagePullSecrets: [{ name: secret }] } });
  const words = `run ${name} --image=${image} --image-pull-policy=Always --restart=Never`;
  await project.kubectl(`${words} --overrides`, spec, "--", "--help");
  const phase = "--for=jsonpath={.status.phase}=Succeeded";
  await project.kubectl(`wait pod/${name} ${phase} --timeout=${timeoutIn.journey}`);
  return project.kubectl(`logs ${name}`);
}

import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareCertManager, startCertManager } from "../../oracle/real/node/cert-manager.ts";
import { writeCurlImage } from "../../oracle/real/node/curl-image.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";

// The end-to-end tests of a scaffolded project, as they are: `kind` on their path hands out the real node, where
// cert-manager runs already.

const prepared = prepareNodeProject("a scaffolded project's end-to-end tests");
const certManager = prepareCertManager();
const missing = prepared.missing ?? ("missing" in certManager ? certManager.missing : undefined);
if ("missing" in certManager)
  console.log(`left out: a scaffolded project's end-to-end tests: ${certManager.missing}`);
let project: NodeProject;

beforeAll(async () => {
  if (missing !== undefined || "missing" in certManager) return;
  project = await prepared.start("shop-operator");
  const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await project.create("init", "--domain", "example.com");
  await project.create("create", "api", ...api, "--make=false");
  await project.create("create", "webhook", ...api, "--defaulting", "--programmatic-validation");
  await startCertManager(project.node, certManager, (words) => project.kubectl(words));
  const curl = join(project.node.folder, "curl.tar");
  writeCurlImage(curl);
  await project.node.load(curl);
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)("all of them pass, and the project is gone from the cluster", async () => {
  const words = ["run", "test-e2e", "--", "--reporter=verbose"];
  const { stdout, stderr } = await project.inside.run("npm", ...words);
  const plain = stripVTControlCharacters(stdout + stderr);
  for (const name of [
    "the operator becomes available",
    "the operator's pod satisfies the restricted Pod Security Standard",
    "metrics are served to who may read them",
    "the samples become ready",
  ])
    expect(plain).toMatch(new RegExp(`✓ .*${name}`));
  expect(plain).toMatch(/Tests +5 passed \(5\)/);
  expect(await project.kubectl("get namespace shop-operator-system --ignore-not-found")).toBe("");
});

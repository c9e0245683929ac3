import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseProject } from "../../../src/project/store.ts";
import { diskTree, everythingBelow } from "../../../src/scaffold/tree.ts";
import { optionalSets, type OptionalSet } from "../../../src/olm/validate/rules.ts";
import { validateBundle } from "../../../src/olm/validate/validate-bundle.ts";
import { type ManifestObject, parseManifest } from "../../../src/ship/manifest.ts";
import { renderConfig } from "../../../src/ship/render.ts";
import { goldenProjects, run as call } from "../../golden/golden-projects.ts";
import { explainDifferences } from "../../support/projects/compare-deployments.ts";
import { expandBundle } from "../../support/olm/expand-bundle.ts";
import { useGoldenCopies } from "../../support/projects/golden-copies.ts";
import { repository } from "../../support/source-imports.ts";

// The bundles of the golden projects, which together have webhooks, conversion, certificates, and both scopes.

const { work, missing } = useGoldenCopies("bundles for OLM", async (root) => {
  await call(["bundle", "--image", "registry.example.com/operator:v1.0.0"], root);
});

/** The fields that OLM adds or replaces. */
const intended: readonly (readonly [RegExp, string])[] = [
  [/^Namespace [^.]*: only deployed$/u, "people choose where OLM installs"],
  [/^(?:Certificate|Issuer) [^.]*: only deployed$/u, "OLM makes the certificates"],
  [/^CustomResourceDefinition .*\.annotations: only deployed$/u, "OLM writes its CA into CRDs"],
  [/^ServiceMonitor .*\.tlsConfig/u, "the operator signs the certificate of its metrics"],
  [/^ServiceMonitor .*endpoints/u, "the operator signs the certificate of its metrics"],
  [/\.volumes(?:\.(?:webhook-certs?|apiservice-cert|metrics-certs))?: only/u, "OLM mounts its certificate"],
  [
    /\.volumeMounts(?:\.(?:webhook-certs?|apiservice-cert|metrics-certs))?: only/u,
    "OLM mounts its certificate",
  ],
  [/\.args\."--metrics-cert-path=.*: only deployed$/u, "the operator signs the certificate of its metrics"],
  [/\.annotations\.olm\.targetNamespaces: only installed$/u, "OLM says what to watch"],
  [
    /^rights of .*\.all namespaces: .*"(?:leases|events)".*: only installed$/u,
    "OLM grants in all namespaces what an operator for all of them may do in its own",
  ],
  [/^ServiceAccount .*\.labels: only deployed$/u, "OLM makes the ServiceAccount"],
];

describe.skipIf(missing !== undefined)("a bundle", () => {
  test.each(goldenProjects)("of %s says what deploy applies, but for what OLM replaces", async (name) => {
    const root = join(work, name);
    const { project } = parseProject(readFileSync(join(root, "PROJECT"), "utf8"));
    const namespace = `${name}-system`;
    const deployed = parseManifest(
      await renderConfig(root, "default", { image: "registry.example.com/operator:v1.0.0" }),
    );
    const targets = project.namespaced ? [namespace] : [];
    const installed = expandBundle(manifests(root), { namespace, targets });

    const lines = explainDifferences(deployed, installed);
    expect(lines.filter((line) => !intended.some(([pattern]) => pattern.test(line)))).toEqual([]);
    expect(lines.some((line) => line.startsWith("Namespace"))).toBe(true);
  });

  test.each(goldenProjects)("of %s is valid, by the rules of all sets", async (name) => {
    const optional = Object.keys(optionalSets) as OptionalSet[];
    const findings = await validateBundle(everythingBelow(join(work, name)), "bundle", { optional });

    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    // Only the user can fill in these fields.
    expect([...new Set(findings.map(({ rule }) => rule))]).toEqual([
      "csv-min-kube-version-missing",
      "csv-description",
      "practice-channels",
    ]);
  });

  test("of an operator that makes its own certificate has OLM's instead, and no rights for it", async () => {
    const root = join(work, "self-signed");
    cpSync(join(repository, "e2e/golden/store-operator"), root, { recursive: true });
    await call(["edit", "--enable", "self-signed", "--disable", "cert-manager"], root);
    await call(["bundle", "--image", "registry.example.com/operator:v1.0.0"], root);
    const deployed = parseManifest(
      await renderConfig(root, "default", { image: "registry.example.com/operator:v1.0.0" }),
    );
    const installed = expandBundle(manifests(root), { namespace: "store-operator-system", targets: [] });

    const lines = explainDifferences(deployed, installed);
    const others = lines.filter((line) => !intended.some(([pattern]) => pattern.test(line)));
    const rights = others.filter((line) => line.startsWith("rights"));
    expect(
      others.filter((line) => !rights.includes(line)).map((line) => line.replace(/^.*manager\./u, "")),
    ).toEqual([
      'args."--self-signed-webhook-certs": only deployed',
      'args."--webhook-service=$(WEBHOOK_SERVICE)": only deployed',
      'args."--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs": only installed',
      "env.WEBHOOK_SERVICE: only deployed",
    ]);
    expect(rights.map((line) => /"resources":(\[.*?\])/u.exec(line)?.[1])).toEqual([
      '["secrets"]',
      '["mutatingwebhookconfigurations","validatingwebhookconfigurations"]',
      '["customresourcedefinitions"]',
    ]);
  });

  test("that is made again of the same sources is the same", async () => {
    const folder = join(work, "team-operator");
    const before = manifests(folder);
    const printed = await call(["bundle", "--image", "registry.example.com/operator:v1.0.0"], folder);

    expect(printed).toBe("");
    expect(manifests(folder)).toEqual(before);
  });
});

function manifests(root: string): ManifestObject[] {
  const tree = diskTree(root);
  return tree.list("bundle/manifests").flatMap((file) => parseManifest(tree.read(file)!));
}

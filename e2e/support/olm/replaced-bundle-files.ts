import { createCipheriv } from "node:crypto";
import type { RuleName } from "../../../src/olm/validate/rules.ts";
import { budget, crd, csv, image, metadata, role, service, strategy } from "./bundle-damages.ts";
import { damage, rightBundle } from "./right-bundle.ts";

const dockerfile = "bundle.Dockerfile";
const dependencies = "metadata/dependencies.yaml";

/** Damages of a bundle that are files as a whole, by their path. */
export const replacedFiles: [rule: RuleName, file: string, content: unknown, text: string][] = [
  ["yaml-syntax", csv, "kind: [", ""],
  ["yaml-syntax", crd, "kind: A\nkind: B\n", "kind: B"],
  ["yaml-syntax", metadata, "a: &a [*a, *a]", ""],
  ["file-size", crd, `a: ${"x".repeat(4_000_000)}`, "a: xxx"],
  ["one-object", role, "kind: A\n---\nkind: B\n", "kind: B"],
  ["one-object", "manifests/empty.yaml", "# nothing\n", ""],
  ["manifest-file", "manifests/README.md", "# The operator\n", ""],
  ["manifest-file", "manifests/more/role.yaml", rightBundle()[role], ""],
  ["manifest-file", "manifests/.role.yaml", rightBundle()[role], ""],
  [
    "one-object",
    role,
    `# A license\r\n# of two lines\r\n---\r\n${JSON.stringify(rightBundle()[role])}\r\n`,
    '{"apiVersion"',
  ],
  ["one-object", role, `# A license\n---\n${JSON.stringify(rightBundle()[role])}\n`, '{"apiVersion"'],
  ["dependency", dependencies, depend("olm.constraint", { failureMessage: "x" }), "value:"],
  ["dependency", dependencies, depend("olm.package", { packageName: "a", version: "1.0.0||2.0.0" }), "1.0.0"],
  ["dependency", dependencies, depend("olm.crd", {}), "olm.crd"],
  ["dependency", dependencies, depend("olm.gvk", { group: "example.com", kind: "Cart" }), "value:"],
  ["dependency", dependencies, depend("olm.package", { packageName: "cart", version: "^1" }), "^1"],
  ["bundle-size", role, { data: randomText(1_500_000) }, "apiVersion:"],
  ["bundle-size-near", role, { data: randomText(900_000) }, "apiVersion:"],
  ["annotations-missing", metadata, "annotations: {}", "annotations: {}"],
  ["annotations-missing", metadata, "", ""],
  ["csv-missing", csv, "", ""],
  ["csv-duplicate", "manifests/other.yaml", rightBundle()[csv], "ClusterServiceVersion"],
  ["deployment-name", csv, twice("deployments"), "shop-controller-manager"],
  [
    "service-account-conflict",
    "manifests/sa.yaml",
    { ...service, kind: "ServiceAccount", metadata: { name: "shop-controller-manager" }, spec: undefined },
    "shop-controller-manager",
  ],
  ["permission-rule", csv, withUrls(), "nonResourceURLs:"],
  ["related-image", csv, twice("relatedImages"), "manager"],
  ["object-duplicate", "manifests/z-budget.yaml", rightBundle()[budget], "shop-budget"],
  [
    "priority-class",
    "manifests/priority.yaml",
    {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name: "shop" },
      value: 1,
      globalDefault: true,
    },
    "true",
  ],
  ["webhook-conversion", crd, oneVersion(), "shops.apps.example.com"],
  [
    "label-mismatch",
    dockerfile,
    "FROM scratch\nLABEL a=b \\\n  operators.operatorframework.io.bundle.package.v1='cart'\n",
    "operators.operatorframework.io.bundle.package.v1",
  ],
];

function depend(type: string, value: unknown): unknown {
  return { dependencies: [{ type, value }] };
}

/** A text that can be compressed to three quarters. */
function randomText(length: number): string {
  const cipher = createCipheriv("aes-128-ctr", Buffer.alloc(16), Buffer.alloc(16));
  return cipher.update(Buffer.alloc((length * 3) / 4)).toString("base64");
}

/** The ClusterServiceVersion with an element of a list twice; the second image differs. */
function twice(list: "deployments" | "relatedImages"): unknown {
  const files = rightBundle();
  const { spec } = files[csv] as {
    spec: { install: { spec: { deployments: unknown[] } }; relatedImages: { name: string }[] };
  };
  if (list === "deployments") spec.install.spec.deployments.push(spec.install.spec.deployments[0]);
  else spec.relatedImages.push({ ...spec.relatedImages[0]!, image } as { name: string });
  return files[csv];
}

function withUrls(): unknown {
  const files = rightBundle();
  const permission = {
    serviceAccountName: "shop-controller-manager",
    rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  };
  damage(files, csv, `${strategy} permissions`, [permission]);
  return files[csv];
}

function oneVersion(): unknown {
  const files = rightBundle();
  const { spec } = files[crd] as { spec: { versions: unknown[] } };
  spec.versions.pop();
  return files[crd];
}

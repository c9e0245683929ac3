import { describe, expect, it } from "vitest";
import { file, findings, findingsOf, typesFile } from "../../e2e/support/projects/refused-projects.ts";

describe("planManifests() refuses", () => {
  it("a file with syntax errors", async () => {
    expect(await findingsOf(typesFile({ spec: "export interface Spec {\n  name: ;\n}" }))).toEqual([
      "4:9 Type expected.",
    ]);
  });

  it("two webhooks with the same name", async () => {
    const webhook =
      "// +kubebuilder:webhook:path=/x,mutating=true,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=x.y.z,admissionReviewVersions=v1\n";
    expect(await findings({ "src/webhook/x.ts": webhook + webhook })).toEqual([
      'src/webhook/x.ts:2:4 two webhooks are named "x.y.z"',
    ]);
  });

  it("a validation marker in a file that has nothing to validate", async () => {
    const text = "// +kubebuilder:validation:Minimum=1\nexport function run(): void {}\n";
    expect(await findings({ "src/controller/x.ts": text })).toEqual([
      "src/controller/x.ts:1:4 +kubebuilder:validation:Minimum is on nothing it applies to",
    ]);
  });
});

it("planManifests() reports all errors in one run, sorted by file and line", async () => {
  const spec =
    "export interface Spec {\n  one: number;\n  // +optionl\n  two: Missing;\n  // +kubebuilder:validation:Minimum=x\n  three: int32;\n}";
  const rbac = "// +kubebuilder:rbac:groups=apps,verb=get\n";
  expect(await findings({ [file]: typesFile({ spec }), "src/controller/x.ts": rbac })).toEqual([
    `${file}:4:8 a number may be fractional, which Kubernetes advises against`,
    `${file}:5:6 unknown marker "+optionl"`,
    `${file}:6:8 type "Missing" not found`,
    `${file}:7:38 expected an integer or float, got "x"`,
    'src/controller/x.ts:1:34 +kubebuilder:rbac has no argument "verb"',
  ]);
});

const depth = 100_000;
it.each([`${"{ a?: ".repeat(depth)}string${" }".repeat(depth)}`, `string${"[]".repeat(depth)}`])(
  "planManifests() refuses 100,000 types within types, and names the file",
  async (type) => {
    const spec = `export interface Spec { a: ${type} }`;
    await expect(findings({ [file]: typesFile({ spec }) })).rejects.toMatchObject({
      code: "INVALID_SOURCE",
      message: `"${file}" nests its types too deeply`,
    });
  },
);

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testPage } from "../testdata/test-page.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { runExample } from "../testdata/example.ts";
import { planManifests } from "../manifests.ts";

describe("the page of the JSDoc tags:", () => {
  testPage(join(import.meta.dirname, "jsdoc-tags.md"));
});

const kind = `export interface Spec {}
/**
 * A case.
 * @deprecated Use
 * version v2.
 */
export interface Case extends CustomResource<Spec> {}
export const Case = defineKind<Case>(groupVersion, { kind: "Case", plural: "cases" });
`;

describe("@deprecated on a kind", () => {
  it("deprecates the version", async () => {
    const { crd, diagnostics } = await runExample(kind);
    expect(diagnostics).toEqual([]);
    expect(crd?.spec.versions[0]).toMatchObject({
      deprecated: true,
      deprecationWarning: "Use version v2.",
      schema: { openAPIV3Schema: { description: "A case.\n\nDeprecated: Use version v2." } },
    });
  });
});

describe("tags", () => {
  it("of code that is no API have no meaning", async () => {
    const text = `// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
/** @minimum one */
export interface Options {
  /** @default five seconds {or more} */
  timeout?: number;
}
`;
    const { diagnostics } = await planManifests(memoryTree({ "src/controller.ts": text }));
    expect(diagnostics).toEqual([]);
  });
});

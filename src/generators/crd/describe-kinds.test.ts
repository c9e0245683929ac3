import { expect, test } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { describeKinds } from "./describe-kinds.ts";
import { planManifests } from "../manifests.ts";

const marker = "+operator-sdk:csv:customresourcedefinitions";

const tree = memoryTree({
  "package.json": "{}",
  "api/v1/groupversion.ts":
    'export const groupVersion = { group: "shop.example.com", version: "v1" } as const;\n',
  "api/v1/order.ts": `
import { type CustomResource, defineKind } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion.ts";

export interface Item {
  // The name.
  // ${marker}:type=spec
  name?: string;
}

export interface Phase {
  // ${marker}:type=spec,displayName="Wanted"
  // ${marker}:type=status,displayName="Seen",order=1
  phase?: string;
}

export interface OrderSpec extends Phase {
  // ${marker}:type=spec,xDescriptors={"urn:a","urn:b"}
  items?: Item[];
  plain?: string;
}

// An order.
// ${marker}:displayName="A purchase",resources={{Pod,v1,""},{Service,v1}},order=2
export interface Order extends CustomResource<OrderSpec, Phase> {}

export const Order = defineKind<Order>(groupVersion, { kind: "Order", plural: "orders" });
`,
});

test("markers describe kinds and fields, each for spec or status, inside of lists, too", async () => {
  const field = { description: undefined, displayName: undefined, order: undefined, xDescriptors: [] };

  expect(await describeKinds(tree)).toEqual([
    {
      name: "orders.shop.example.com",
      version: "v1",
      displayName: "A purchase",
      order: 2,
      resources: [
        ["Pod", "v1", ""],
        ["Service", "v1"],
      ],
      spec: expect.arrayContaining([
        { ...field, path: "items", name: "items", xDescriptors: ["urn:a", "urn:b"] },
        { ...field, path: "items[0].name", name: "name", description: "The name." },
        { ...field, path: "phase", name: "phase", displayName: "Wanted" },
      ]) as unknown,
      status: [{ ...field, path: "phase", name: "phase", displayName: "Seen", order: 1 }],
    },
  ]);
});

test("the CRD is the same as without them", async () => {
  const texts = async (source: string): Promise<unknown> => {
    const files = { "package.json": "{}", "api/v1/groupversion.ts": tree.read("api/v1/groupversion.ts")! };
    const { changes, diagnostics } = await planManifests(memoryTree({ ...files, "api/v1/order.ts": source }));
    expect(diagnostics).toEqual([]);
    return changes;
  };
  const source = tree.read("api/v1/order.ts")!;
  const without = source.replaceAll(/^ *\/\/ \+operator-sdk.*\n/gmu, "");

  expect(without).not.toContain("operator-sdk");
  expect(await texts(source)).toEqual(await texts(without));
});

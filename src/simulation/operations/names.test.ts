import { describe, expect, it } from "vitest";
import { crdOf } from "../../../e2e/support/simulation/box-operations.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { type CRD, checkedKind } from "./draw-object.ts";
import { type Placement, placementsOf } from "./names.ts";

const box = crdOf({ type: "object" }, "box");
const clusterBox: CRD = { spec: { ...box.spec, scope: "Cluster" } };

/** The first three objects of many plans, as in most of them. */
function drawn(crd: CRD, given: Parameters<typeof placementsOf>[1] = {}): Placement[][] {
  const place = placementsOf(checkedKind(crd), given);
  return Array.from({ length: 100 }, (_, seed) => place(new Random(seed)).slice(0, 3));
}

/** Whether two objects of a plan get one text, or one object, from an operator that names by `nameOf`. */
const collide = (plans: readonly Placement[][], nameOf: (placement: Placement) => string): number =>
  plans.filter((plan) => new Set(plan.map(nameOf)).size < plan.length).length;

describe("placementsOf()", () => {
  it("places objects of one name in two namespaces, and long names that are equal once they are cut", () => {
    const plans = drawn(box);
    expect(collide(plans, ({ namespace, name }) => `${namespace}/${name}`)).toBe(0);
    expect(collide(plans, ({ name }) => name)).toBeGreaterThan(20);
    for (const length of [63 - 8, 52, 40])
      expect(
        collide(plans, ({ namespace, name }) => `${namespace}/${name.slice(0, length)}`),
      ).toBeGreaterThan(5);
  });

  it("places objects in one namespace whose names begin alike", () => {
    const begin = drawn(box).filter((plan) =>
      plan.some((one) =>
        plan.some((other) => one.namespace === other.namespace && other.name.startsWith(`${one.name}-`)),
      ),
    );
    expect(begin.length).toBeGreaterThan(15);
  });

  it("places objects whose names give one text with their namespaces, where a fitting namespace exists", () => {
    const joinedIn = (plans: Placement[][]): number =>
      collide(plans, ({ namespace, name }) => `${namespace}-${name}`);
    expect(joinedIn(drawn(box, { hasLongerNamespace: true }))).toBeGreaterThan(5);
    expect(joinedIn(drawn(box))).toBe(0);
    expect(joinedIn(drawn(clusterBox, { hasLongerNamespace: true }))).toBe(0);
  });

  it("places objects of the cluster in no namespace", () => {
    const plans = drawn(clusterBox);
    expect(plans.flat().filter(({ namespace }) => namespace !== undefined)).toEqual([]);
    expect(collide(plans, ({ name }) => name)).toBe(0);
  });
});

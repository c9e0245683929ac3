import { loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { beforeAll, describe, expect, it } from "vitest";
import { knownValues, provideTables } from "./known-values.ts";
import { optionalChoice } from "./problems.ts";

beforeAll(async () => provideTables((await loadSchemas("core/v1"))!));

describe("knownValues()", () => {
  it.each([
    ["core/v1.ServicePort.protocol", ["SCTP", "TCP", "UDP"]],
    [
      "core/v1.PersistentVolumeSpec.accessModes",
      ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"],
    ],
  ])("returns the values of %s in the order of messages", (field, values) => {
    expect(knownValues(field)).toEqual(values);
  });

  it("finds those of a map", () => {
    expect(knownValues("core/v1.PersistentVolumeClaimStatus.allocatedResourceStatuses")).toHaveLength(5);
  });

  it("refuses a field without known values, which is a mistake of a rule", () => {
    expect(() => knownValues("core/v1.ServicePort.name")).toThrow("no values of core/v1.ServicePort.name");
  });
});

describe("optionalChoice()", () => {
  it("takes the name of the field from its path, without the index of an item", () => {
    const [error] = optionalChoice("spec.accessModes[1]", "Read", "core/v1.PersistentVolumeSpec");
    expect(error?.body).toContain('supported values: "ReadOnlyMany", "ReadWriteMany"');
  });
});

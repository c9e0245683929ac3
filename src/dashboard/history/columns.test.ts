import { expect, test } from "vitest";
import { columnsOf } from "./columns.ts";
import { History } from "./history.ts";
import { madeObject, madeWrite } from "../../dev/record/testdata/made-records.ts";

/** A record with a CRD of MySQL whose version v1 has these columns. */
function recordOf(additionalPrinterColumns: unknown): History {
  const history = new History();
  history.add(
    madeWrite(
      { at: 1, write: "ADDED", resource: "customresourcedefinitions.apiextensions.k8s.io" },
      {
        kind: "CustomResourceDefinition",
        metadata: { name: "mysqls.shop.example" },
        spec: { versions: [{ name: "v2" }, { name: "v1", additionalPrinterColumns }] },
      },
    ),
  );
  return history;
}

test.each([5, {}, [null, 5, {}, { name: "A" }, { name: {}, jsonPath: 7 }]])(
  "a damaged record with %j for columns has none",
  (columns) => {
    expect(columnsOf(recordOf(columns), "mysqls.shop.example", "shop.example/v1", 5)).toEqual([]);
  },
);

test("an own kind has the columns that kubectl shows, without those of wide output and the age", () => {
  const history = recordOf([
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Backup", type: "date", jsonPath: ".spec.backup" },
    { name: "URL", type: "string", jsonPath: ".spec.url", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ]);
  const columns = columnsOf(history, "mysqls.shop.example", "shop.example/v1", 5);
  const object = madeObject({ replicas: 3, backup: "1970-01-01T00:00:00Z" });
  expect(columns.map(({ name, cell }) => [name, cell(object, 300_000)])).toEqual([
    ["Replicas", "3"],
    ["Backup", "5m"],
  ]);
  expect(columnsOf(history, "mysqls.shop.example", "shop.example/v2", 5)).toEqual([]);
  expect(columnsOf(history, "shops.shop.example", "shop.example/v1", 5)).toEqual([]);
});

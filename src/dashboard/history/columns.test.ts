import { expect, test } from "vitest";
import { columnsOf } from "./columns.ts";
import { History } from "./history.ts";
import { madeObject, madeWrite } from "./testdata/made-records.ts";

test("an own kind has the columns that kubectl shows, without those of wide output and the age", () => {
  const history = new History();
  const additionalPrinterColumns = [
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Backup", type: "date", jsonPath: ".spec.backup" },
    { name: "URL", type: "string", jsonPath: ".spec.url", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ];
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
  const columns = columnsOf(history, "mysqls.shop.example", "shop.example/v1", 5);
  const object = madeObject({ replicas: 3, backup: "1970-01-01T00:00:00Z" });
  expect(columns.map(({ name, cell }) => [name, cell(object, 300_000)])).toEqual([
    ["Replicas", "3"],
    ["Backup", "5m"],
  ]);
  expect(columnsOf(history, "mysqls.shop.example", "shop.example/v2", 5)).toEqual([]);
  expect(columnsOf(history, "shops.shop.example", "shop.example/v1", 5)).toEqual([]);
});

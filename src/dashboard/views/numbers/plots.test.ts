import { expect, test } from "vitest";
import { madeSample } from "../../../dev/record/testdata/made-records.ts";
import { sampleOf } from "../../../dev/record/timed.ts";
import { filteredPlots, plotsOf, wordsOf } from "./plots.ts";

const mysql = { controller: "mysql", queued: 3, active: 1, workers: 1 };
const backup = { controller: "backup", queued: 1, active: 2, workers: 4 };
const first = sampleOf(madeSample(0, { controllers: [mysql], cached: { Pod: 2, "MySQL.shop.example": 1 } }));
const second = sampleOf(madeSample(1000, { controllers: [mysql, backup], blocked: 300 }));

test("each controller has a line, also one that came later", () => {
  const plots = plotsOf([first, second]);
  expect(wordsOf(plots, first)).toBe(
    "Waiting in the queue: mysql 3, backup 0; Reconciles that run: mysql 1, backup 0; Cached objects: objects 3; Event loop: blocked 0 ms; Memory: resident 80.0 MB, heap 20.0 MB",
  );
  expect(wordsOf(plots, undefined)).toBe("unknown");
});

test("the filter leaves the lines that have its words in their name or their plot's", () => {
  const plots = plotsOf([first, second]);
  const named = (filter: string) =>
    filteredPlots(plots, filter).map(({ title, series }) => [title, series.map(({ name }) => name)]);
  expect(named("backup queue")).toEqual([["Waiting in the queue", ["backup"]]]);
  expect(named("memory")).toEqual([["Memory", ["resident", "heap"]]]);
  expect(named("nothing of it")).toEqual([]);
});

import { expect, test } from "vitest";
import { explainSite, fileOf } from "./check-book.ts";

const explain = (html: string) =>
  explainSite({
    base: "/book/",
    address: "https://book.example.com/",
    files: new Set(["index.html", "guides/a.html", "a.svg"]),
    pages: new Map([
      ["guides/a.html", `<h1 id="here"><h2 id="größe"><h2 id="50%">${html}`],
      ["index.html", ""],
    ]),
  });

test.each([
  "/book/",
  "/book/a.svg",
  "/book/guides/a.html#here",
  "../index.html",
  "#here",
  "#gr%C3%B6%C3%9Fe",
  "#50%",
  "https://example.com",
  "https://book.example.com/guides/a.html#here",
])("explainSite() accepts %j", (link) => {
  expect(explain(`<a href="${link}">`)).toEqual([]);
});

test.each([
  "/guides/a.html",
  "/book/b.svg",
  "/book/index.html#here",
  "b.html",
  "#there",
  "#a%zz",
  "https://book.example.com/b.html",
])("explainSite() names %j", (link) => {
  expect(explain(`<img src="${link}">`)).toEqual([`guides/a.html: ${link} leads nowhere`]);
});

test("fileOf() finds the file of an address", () => {
  expect(["", "guides/", "guides/a", "guides/a.html"].map(fileOf)).toEqual([
    "index.html",
    "guides/index.html",
    "guides/a.html",
    "guides/a.html",
  ]);
});

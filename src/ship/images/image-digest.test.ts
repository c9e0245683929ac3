import { expect, test } from "vitest";
import { digestInEngine, digestInReport } from "./build-image.ts";

const digest = `sha256:${"a".repeat(64)}`;
const other = `sha256:${"b".repeat(64)}`;

test("a report holds the digest alone, or among what else docker's buildx knows", () => {
  expect(digestInReport(`${digest}\n`)).toBe(digest);
  expect(digestInReport(JSON.stringify({ "containerimage.digest": digest, "image.name": "op" }))).toBe(
    digest,
  );
});

test("an engine's list has the digest of each repository, and the one of the push counts", () => {
  const known = [`old.example.com/op@${other}`, `r.io:5000/team/op@${digest}`];
  expect(digestInEngine("r.io:5000/team/op:v1", known)).toBe(digest);
  expect(digestInEngine("docker.io/team/op:v1", [`team/op@${digest}`])).toBe(digest);
  expect(digestInEngine("r.io/new:v1", known)).toBeUndefined();
});

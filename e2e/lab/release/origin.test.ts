import { expect, test } from "vitest";
import { findRepository, originOf } from "./pack-release.ts";

test.each([
  ["https://github.com/o/n.git", "https://github.com/o/n"],
  ["https://github.com/o/n/", "https://github.com/o/n"],
  ["https://x-access-token:SECRET@github.com/o/n", "https://github.com/o/n"],
  ["git@github.com:o/n.git", "https://github.com/o/n"],
  ["ssh://git@github.com/o/n.git", "https://github.com/o/n"],
  ["ssh://git@github.com:22/o/n.git", "https://github.com/o/n"],
  ["/srv/git/n", undefined],
  [undefined, undefined],
])("the remote %s is %s", (remote, page) => {
  expect(findRepository(remote, {})).toBe(page);
});

test("a workflow knows its repository", () => {
  const environment = { GITHUB_SERVER_URL: "https://github.com", GITHUB_REPOSITORY: "o/n" };
  expect(findRepository("/srv/git/n", environment)).toBe("https://github.com/o/n");
});

test("a package names its folder in the repository", () => {
  expect(originOf("https://github.com/o/n", "src/cluster")).toEqual({
    homepage: "https://github.com/o/n/tree/HEAD/src/cluster#readme",
    bugs: "https://github.com/o/n/issues",
    repository: { type: "git", url: "git+https://github.com/o/n.git", directory: "src/cluster" },
  });
  expect(originOf("https://github.com/o/n", ".")).toMatchObject({
    homepage: "https://github.com/o/n#readme",
    repository: { type: "git", url: "git+https://github.com/o/n.git" },
  });
});

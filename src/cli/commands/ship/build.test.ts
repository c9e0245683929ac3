import { beforeEach, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const { call, initialize, snapshot } = useProjectFolder();
beforeEach(initialize);

test.each([
  "--tool docker",
  "--platform linux/arm64",
  "--build-arg A=b",
  "--push",
  "--load kind",
  "--save a.tar",
  "--digest-file digest",
  "-- --no-cache",
])("build %s without --image is refused, and builds nothing", async (flags) => {
  const before = snapshot();
  await expect(call(`build ${flags}`)).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: `${flags.split(" ")[0]} needs --image`,
  });
  expect(snapshot()).toEqual(before);
});

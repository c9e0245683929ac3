import { expect, test } from "vitest";
import { containerTools, findContainerTool } from "./container-tool.ts";
import { type ImageBuild, type ImageTargets, planImageBuild, planPush } from "./build-image.ts";
import { formatCall } from "../tool.ts";

const one: ImageBuild = { image: "r.io/op:v1", context: ".", platforms: [], buildArgs: [], extra: [] };
const two: ImageBuild = { ...one, platforms: ["linux/amd64", "linux/arm64"] };
const stay: ImageTargets = { push: false, save: undefined };
const everywhere: ImageTargets = { push: true, save: "op.tar" };
const lines = (...call: Parameters<typeof planImageBuild>): string[] =>
  planImageBuild(...call).map(formatCall);

test.each(containerTools)("planImageBuild() builds with %s for the machine's own platform", (tool) => {
  expect(lines(tool, one, stay)).toEqual([`${tool} build --tag r.io/op:v1 .`]);
});

test("planImageBuild() passes build arguments and the user's own arguments before the context", () => {
  const build = { ...one, platforms: ["linux/arm64"], buildArgs: ["A=1", "B=x y"], extra: ["--no-cache"] };
  expect(lines("podman", build, stay)).toEqual([
    "podman build --platform linux/arm64 --build-arg A=1 --build-arg 'B=x y' --tag r.io/op:v1 --no-cache .",
  ]);
});

test("planImageBuild() builds, pushes and saves, in this order", () => {
  expect(lines("docker", one, everywhere)).toEqual([
    "docker build --tag r.io/op:v1 .",
    "docker push r.io/op:v1",
    "docker save --output op.tar r.io/op:v1",
  ]);
  expect(lines("buildah", one, everywhere)[2]).toBe(
    "buildah push r.io/op:v1 docker-archive:op.tar:r.io/op:v1",
  );
});

test("planImageBuild() has each tool report the push if it can, and passes the user's arguments to the build only", () => {
  const build = { ...one, extra: ["--no-cache"] };
  const reported = { ...stay, push: true, report: "r" };
  expect(lines("buildah", build, reported)[1]).toBe("buildah push --digestfile r r.io/op:v1");
  expect(lines("podman", two, reported)[1]).toBe(
    "podman manifest push --all --digestfile r r.io/op:v1 docker://r.io/op:v1",
  );
  expect(lines("docker", build, reported)[1]).toBe("docker push r.io/op:v1");
  expect(lines("docker", two, reported)[0]).toContain("--push --metadata-file r .");
});

test("planPush() passes the user's own arguments", () => {
  const extra = ["--tls-verify=false"];
  expect(formatCall(planPush("podman", "r.io/op:v1", { extra }))).toBe(
    "podman push --tls-verify=false r.io/op:v1",
  );
  expect(formatCall(planPush("nerdctl", "r.io/op:v1", { isMultiPlatform: true, extra }))).toBe(
    "nerdctl push --all-platforms --tls-verify=false r.io/op:v1",
  );
});

test("planImageBuild() names a manifest list if podman and buildah build several platforms", () => {
  expect(lines("buildah", two, everywhere)).toEqual([
    "buildah build --platform linux/amd64,linux/arm64 --manifest r.io/op:v1 .",
    "buildah manifest push --all r.io/op:v1 docker://r.io/op:v1",
    "buildah manifest push --all r.io/op:v1 oci-archive:op.tar",
  ]);
});

test("planImageBuild() lets docker's buildx build and push several platforms in one call", () => {
  expect(lines("docker", two, { push: true, save: undefined })).toEqual([
    "docker buildx build --platform linux/amd64,linux/arm64 --tag r.io/op:v1 --push .",
  ]);
});

test("planImageBuild() refuses several platforms that docker's engine would have to store", () => {
  expect(() => lines("docker", two, stay)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("findContainerTool() returns the first tool whose daemon responds", async () => {
  expect(
    await findContainerTool(undefined, async (tool) => (tool === "docker" ? "no engine" : undefined)),
  ).toBe("podman");
});

test("findContainerTool() returns only the requested tool", async () => {
  await expect(
    findContainerTool("docker", async (tool) => (tool === "docker" ? "no engine" : undefined)),
  ).rejects.toMatchObject({
    code: "TOOL_MISSING",
    message: '"docker" does not respond\ndocker: no engine',
  });
});

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTool, showTool, type ToolCall } from "./tool.ts";

let programs: string;

beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), "tsbuilder-programs-"));
});

afterAll(() => rmSync(programs, { recursive: true, force: true }));

test.each([
  [
    "docker",
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
    "start the daemon",
  ],
  [
    "docker",
    "permission denied while trying to connect to the socket at unix:///var/run/docker.sock",
    "join its group",
  ],
  ["nerdctl", 'cannot access containerd socket "/run/containerd/containerd.sock"', "start the daemon"],
  ["podman", "Error: unauthorized: authentication required", "podman login REGISTRY"],
  ["docker", "denied: requested access to the resource is denied", "docker login REGISTRY"],
  ["buildah", "Error: writing blob: write /var/tmp/1: no space left on device", "buildah prune"],
  ["docker", "failed to copy: no space left on device", "docker system prune"],
  ["buildah", "Error: dial tcp: lookup registry.invalid: no such host", "--build-arg BASE_IMAGE="],
  ["buildah", "Error: creating build container: r.io/node:22: image not known", "--build-arg BASE_IMAGE="],
  [
    "docker",
    "pull access denied for nodee, repository does not exist: denied: requested access to the resource is denied",
    "--build-arg BASE_IMAGE=",
  ],
  ["oc", 'The Deployment "op" is invalid: spec.x: Invalid value', "fix it in config/"],
  ["docker", "manifest for node:99 not found: manifest unknown", "--build-arg BASE_IMAGE="],
  ["docker", "manifest for node:99 not found: manifest unknown", "BUILD_IMAGE="],
])("runTool() explains what %s means by %j", async (tool, words, hint) => {
  await expect(runTool(failing(tool, words))).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: `${tool} build . failed\n${words}`,
    hint: expect.stringContaining(hint),
  });
});

test.each([
  ["podman", "save", "Error: x: image not known"],
  ["docker", "save", "Error response from daemon: No such image: x:latest"],
  ["docker", "save", "Error response from daemon: reference does not exist"],
  ["docker", "push", "An image does not exist locally with the tag: x"],
  ["nerdctl", "save", 'level=fatal msg="image "docker.io/library/x:latest": not found"'],
])("runTool() names no base image where %s %s finds no image", async (tool, verb, words) => {
  await expect(runTool({ ...failing(tool, words), args: [verb, "x"] })).rejects.toMatchObject({
    hint: "build it first, with the same name: tsbuilder build --image IMAGE",
  });
});

test("runTool() keeps messages that it cannot explain, and hints at the details", async () => {
  await expect(runTool(failing("docker", "the moon is full"))).rejects.toMatchObject({
    message: "docker build . failed\nthe moon is full",
    hint: "for details, run: docker build .",
  });
});

test("runTool() uses the standard output of a program that reports errors there", async () => {
  const call = program("podman", "echo 'no space left on device'\nexit 1\n");
  await expect(runTool(call)).rejects.toMatchObject({
    hint: expect.stringContaining("podman system prune"),
  });
});

test("showTool() doesn't repeat in its error what the program has shown", async () => {
  await expect(showTool(failing("docker", "no space left on device"))).rejects.toMatchObject({
    message: "docker build . failed: its output is above",
    hint: expect.stringContaining("docker system prune"),
  });
});

test("runTool() says how to get a missing program", async () => {
  const call = { tool: "kubectl", args: ["version"], env: { PATH: programs } };
  await expect(runTool(call)).rejects.toMatchObject({
    code: "TOOL_MISSING",
    message: '"kubectl" is not on the PATH',
    hint: expect.stringContaining("install kubectl"),
  });
});

test("runTool() passes the input and returns both output streams", async () => {
  const call = program("tool", 'echo "$1 $(cat)"\necho notes >&2\n');
  expect(await runTool({ ...call, args: ["read"], input: "words" })).toEqual({
    stdout: "read words",
    stderr: "notes",
  });
});

function failing(tool: string, words: string): ToolCall {
  return program(tool, `cat >&2 <<'END'\n${words}\nEND\nexit 1\n`);
}

function program(tool: string, script: string): ToolCall {
  const file = join(programs, tool);
  writeFileSync(file, `#!/bin/sh\n${script}`);
  chmodSync(file, 0o755);
  return { tool, args: ["build", "."], env: { PATH: `${programs}:${process.env["PATH"]}` } };
}

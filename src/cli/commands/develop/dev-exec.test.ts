import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { flagsOfEnvironment } from "../../arguments/command-line.ts";
import { type CommandFlags, commandFlags, commandSubject, refuseCommandFlags } from "./dev-exec.ts";

const none: CommandFlags = {
  exec: undefined,
  build: undefined,
  watch: [],
  manifests: [],
  "service-account": undefined,
  "webhook-port": undefined,
  "webhook-cert-dir": undefined,
};
const embedded = {
  context: undefined,
  kubeconfig: undefined,
  port: undefined,
  "kubernetes-version": undefined,
  persist: false,
  nodes: undefined,
  "node-programs": undefined,
  "node-image": undefined,
  inspect: undefined,
  "webhook-address": undefined,
};

test.each([
  [{ build: "make" }, "--build only applies"],
  [{ watch: ["src"] }, "--watch only applies"],
  [{ "webhook-port": 9443 }, "--webhook-port only applies"],
])("without --exec, %j is refused", (flags, message) => {
  expect(() => refuseCommandFlags({ ...none, ...flags })).toThrow(message);
  expect(() => refuseCommandFlags(none)).not.toThrow();
});

test.each([
  [{ context: "production" }, [], "--exec runs an operator on the embedded cluster only"],
  [{ inspect: true as const }, [], "--inspect only applies to Node"],
  [{}, ["--zap-devel"], "--exec takes no arguments after --"],
  [{}, [], "there are no manifests in config/crd/bases and config/rbac"],
])("--exec with %j and %j is refused", async (flags, rest, message) => {
  const cwd = mkdtempSync(join(tmpdir(), "dev-exec-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const ui = { print: () => undefined, note: () => undefined, isInteractive: false };
  const all = { ...none, ...embedded, ...flags, exec: "true" };
  await expect(commandSubject({ flags: all, rest, cwd }, ui)).rejects.toThrow(message);
});

test("the environment can't choose what runs", () => {
  const environment = { TSBUILDER_EXEC: "rm", TSBUILDER_BUILD: "rm", TSBUILDER_WATCH: "/" };
  expect(flagsOfEnvironment(commandFlags, [], environment)).toEqual([]);
});

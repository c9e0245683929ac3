import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { TerminalError } from "../errors/api-error.ts";
import type { Credentials, CredentialsObserver } from "../http/config.ts";
import { eventually } from "../testing/eventually.ts";
import { execCredentials } from "./exec-credentials.ts";
import type { KubeconfigExec } from "./kubeconfig-file.ts";

const apiVersion = "client.authentication.k8s.io/v1";

/** A credential program that counts its runs and prints a `status` computed from the count. */
function program(
  status: string,
  exec: Partial<KubeconfigExec> = {},
): { credentials: Credentials; runs: () => number } {
  const folder = mkdtempSync(join(tmpdir(), "exec-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const log = join(folder, "log");
  const command = join(folder, "login.cjs");
  writeFileSync(log, "");
  writeFileSync(
    command,
    `#!${process.execPath}
const fs = require("node:fs");
fs.appendFileSync(${JSON.stringify(log)}, "x");
const runs = fs.readFileSync(${JSON.stringify(log)}, "utf8").length;
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
console.log(JSON.stringify({ apiVersion: "${apiVersion}", kind: "ExecCredential", status: ${status} }));
`,
  );
  chmodSync(command, 0o755);
  const cluster = {
    server: "https://api",
    extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "me" } }],
  };
  return {
    credentials: execCredentials({ apiVersion, command, ...exec }, cluster),
    runs: () => readFileSync(log, "utf8").length,
  };
}

const kept = { refresh: false };

test("execCredentials() runs the program once for many requests, and again when they are rejected", async () => {
  const { credentials, runs } = program('{ token: "t" + runs }');
  const tokens = await Promise.all([1, 2, 3].map(async () => credentials.current(kept)));
  expect(tokens).toEqual([{ token: "t1" }, { token: "t1" }, { token: "t1" }]);
  expect(await credentials.current(kept)).toEqual({ token: "t1" });
  expect(await credentials.current({ refresh: true })).toEqual({ token: "t2" });
  expect(runs()).toBe(2);
});

test("execCredentials() runs the program again shortly before the credential expires", async () => {
  const clock = new FakeClock();
  const inAnHour = JSON.stringify(new Date(clock.now() + 3_600_000));
  const { credentials } = program(`{ token: "t" + runs, expirationTimestamp: ${inAnHour} }`);
  const now = { refresh: false, clock };
  expect(await credentials.current(now)).toEqual({ token: "t1" });
  clock.advanceSync(3_600_000 - 10_001);
  expect(await credentials.current(now)).toEqual({ token: "t1" });
  clock.advanceSync(1);
  expect(await credentials.current(now)).toEqual({ token: "t2" });
});

test("execCredentials() notifies an observer of exit codes and certificates", async () => {
  const authority = createCA({ commonName: "ca" });
  const [first, second] = [1, 2].map(() =>
    issueCertificate(authority, { commonName: "me", usages: ["client"] }),
  );
  const certificates = JSON.stringify([first, second]);
  const { credentials } = program(
    `runs > 3 ? process.exit(7) : { clientCertificateData: ${certificates}[runs < 3 ? 0 : 1].cert }`,
  );
  const missing = execCredentials({ apiVersion, command: "/nowhere/login" }, { server: "https://api" });
  const told: unknown[] = [];
  const observer: CredentialsObserver = {
    programRan: (code, ending) => void told.push([code, ending]),
    certificateChanged: (span) => void told.push(span && span.from < Date.now() && span.to > Date.now()),
  };
  for (const each of [credentials, missing]) each.observe?.(observer);
  for (let run = 0; run < 3; run++) await credentials.current({ refresh: true });
  await expect(credentials.current({ refresh: true })).rejects.toThrow("failed");
  await expect(missing.current(kept)).rejects.toThrow("was not found");
  const fine = [0, "no_error"];
  expect(told).toEqual([
    fine,
    true,
    fine,
    fine,
    true,
    [7, "plugin_execution_error"],
    [1, "plugin_not_found_error"],
  ]);
});

test("execCredentials() accepts a certificate", async () => {
  const { credentials } = program('{ clientCertificateData: "cert", clientKeyData: "key" }');
  expect(await credentials.current(kept)).toEqual({ cert: "cert", key: "key" });
});

test("execCredentials() passes the cluster to the program if provideClusterInfo is set", async () => {
  const told = program("{ token: info.spec.cluster.server + info.spec.cluster.config.audience }", {
    provideClusterInfo: true,
  });
  expect(await told.credentials.current(kept)).toEqual({ token: "https://apime" });
  const untold = program("{ token: String(info.spec.cluster) + process.env.MODE }", {
    env: [{ name: "MODE", value: "-quiet" }],
  });
  expect(await untold.credentials.current(kept)).toEqual({ token: "undefined-quiet" });
});

test.each([
  [true, "IfAvailable", true],
  [true, "Never", false],
  [undefined, "IfAvailable", false],
] as const)(
  "with a terminal: %j, and mode %s, the program may ask: %j",
  async (isTTY, interactiveMode, may) => {
    const { stdin } = process;
    const { isTTY: before } = stdin;
    Object.assign(stdin, { isTTY });
    onTestFinished(() => void Object.assign(stdin, { isTTY: before }));
    const { credentials } = program("{ token: JSON.stringify(info.spec) }", { interactiveMode });
    expect(await credentials.current(kept)).toEqual({ token: JSON.stringify({ interactive: may }) });
  },
);

test("a program that must ask is not run without a terminal", async () => {
  const { credentials, runs } = program('{ token: "t" }', { interactiveMode: "Always" });
  await expect(credentials.current(kept)).rejects.toThrow(/needs interactive input/);
  expect(runs()).toBe(0);
});

test("execCredentials() says how to install a program that is missing", async () => {
  const credentials = execCredentials(
    { apiVersion, command: "/nowhere/login", installHint: "brew install login" },
    {},
  );
  await expect(credentials.current(kept)).rejects.toThrow(/was not found\nbrew install login/);
});

test("execCredentials() rejects a removed API version, and a user without a command", () => {
  const cluster = { server: "https://api" };
  const old = { apiVersion: "client.authentication.k8s.io/v1alpha1", command: "login" };
  expect(() => execCredentials(old, cluster)).toThrow("one of client.authentication.k8s.io/v1, ");
  expect(() => execCredentials({ apiVersion } as KubeconfigExec, cluster)).toThrow("needs a command");
});

test("execCredentials() rejects output of another version, and output without credentials", async () => {
  const beta = program("{}", { apiVersion: "client.authentication.k8s.io/v1beta1" });
  await expect(beta.credentials.current(kept)).rejects.toThrow(/v1beta1 ExecCredential/);
  await expect(program("{}").credentials.current(kept)).rejects.toThrow(/neither a token nor a certificate/);
});

test("execCredentials() gives up on a program that doesn't end, and kills it if it ignores SIGTERM", async () => {
  const folder = mkdtempSync(join(tmpdir(), "exec-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [command, started] = [join(folder, "login.cjs"), join(folder, "started")];
  const script = `#!${process.execPath}
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
require("node:fs").writeFileSync(${JSON.stringify(started)}, String(process.pid));
`;
  writeFileSync(command, script, { mode: 0o755 });
  const clock = new FakeClock();
  const credentials = execCredentials({ apiVersion, command }, {});
  const codes: number[] = [];
  credentials.observe?.({ programRan: (code) => void codes.push(code), certificateChanged() {} });
  const failure = Promise.resolve(credentials.current({ refresh: false, clock })).catch(
    (error: unknown) => error,
  );
  const id = await eventually(() => {
    const text = readFileSync(started, "utf8");
    return text !== "" && Number(text);
  });
  let isGone = false;
  onTestFinished(() => void (isGone || process.kill(id, "SIGKILL")));
  await clock.advance(60_000);
  expect(await failure).toMatchObject({
    message: `the credential program "${command}" has not ended within 60 s`,
  });
  expect(process.kill(id, 0)).toBe(true);
  await clock.advance(5000);
  await eventually(() => expect(() => process.kill(id, 0)).toThrow("ESRCH"));
  isGone = true;
  await eventually(() => expect(codes).toEqual([-1]));
  expect(clock.timers).toBe(0);
});

test("execCredentials() throws an error that is retried if the program fails", async () => {
  const { credentials } = program("process.exit(1)");
  const failure = await Promise.resolve(credentials.current(kept)).catch((error: unknown) => error);
  expect(failure).not.toBeInstanceOf(TerminalError);
});

test.each([
  ["process.exit(3)", 3, "plugin_execution_error"],
  ['process.kill(process.pid, "SIGKILL")', -1, "plugin_execution_error"],
  ['console.log("x".repeat(2 ** 21))', 1, "client_internal_error"],
  ['{ token: "t" }', 0, "no_error"],
] as const)("execCredentials() counts how a program ended: %s", async (status, code, ending) => {
  const ends: unknown[] = [];
  const { credentials } = program(status);
  credentials.observe?.({ programRan: (...end) => void ends.push(end), certificateChanged() {} });
  await Promise.resolve(credentials.current(kept)).catch(() => {});
  expect(ends).toEqual([[code, ending]]);
});

test("execCredentials() counts programs that are missing, and those that may not be run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "exec-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const forbidden = join(folder, "login");
  writeFileSync(forbidden, "", { mode: 0o600 });
  for (const command of [join(folder, "missing"), forbidden]) {
    const ends: unknown[] = [];
    const credentials = execCredentials({ apiVersion, command }, {});
    credentials.observe?.({ programRan: (...end) => void ends.push(end), certificateChanged() {} });
    await Promise.resolve(credentials.current(kept)).catch(() => {});
    expect(ends).toEqual([[1, "plugin_not_found_error"]]);
  }
});

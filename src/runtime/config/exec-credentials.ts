import { execFile, type ExecFileException } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { type Clock, systemClock } from "@tsbuilder/apimachinery/time";
import type { AuthInfo, CertificateSpan, Credentials, CredentialsObserver } from "../http/config.ts";
import type { KubeconfigCluster, KubeconfigExec } from "./kubeconfig-file.ts";
import { TerminalError } from "../errors/api-error.ts";

/** A credential is replaced this many milliseconds before it expires, so that it is valid when the request arrives. */
export const expirySkew = 10_000;

/** The supported API versions; kubectl removed v1alpha1 in 1.24. */
const apiVersions = ["v1", "v1beta1"].map((version) => `client.authentication.k8s.io/${version}`);

/**
 * Creates credentials that a program prints, kept until they expire or the server rejects them. Throws a `TerminalError`
 * for an invalid `exec`; a program that fails rejects the request that needs the credentials.
 */
export function execCredentials(exec: KubeconfigExec, cluster: KubeconfigCluster): Credentials {
  if (!exec.command || !apiVersions.includes(exec.apiVersion))
    throw new TerminalError(
      `the exec of a user needs a command, and an apiVersion that is one of ${apiVersions.join(", ")}`,
    );
  let cached: { credential: AuthInfo; expires: number } | undefined;
  let running: Promise<AuthInfo> | undefined;
  let observer: CredentialsObserver | undefined;
  return {
    observe(next) {
      observer = next;
    },
    async current({ refresh, clock = systemClock }): Promise<AuthInfo> {
      if (cached && !refresh && clock.now() < cached.expires - expirySkew) return cached.credential;
      // Many requests find the credential expired at the same time; the program runs once for all of them.
      running ??= requestCredential(exec, cluster, { clock, observer })
        .then((status) => {
          const expires = status.expirationTimestamp ? Date.parse(status.expirationTimestamp) : Infinity;
          const credential = credentialOf(status);
          if (credential.cert !== cached?.credential.cert)
            observer?.certificateChanged(spanOf(credential.cert));
          cached = { credential, expires };
          return credential;
        })
        .finally(() => {
          running = undefined;
        });
      return running;
    },
  };
}

/** The `status` of the ExecCredential that a program prints. */
interface ExecStatus {
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
  expirationTimestamp?: string;
}

function credentialOf({ token, clientCertificateData, clientKeyData }: ExecStatus): AuthInfo {
  return {
    ...(token && { token }),
    ...(clientCertificateData && { cert: clientCertificateData }),
    ...(clientKeyData && { key: clientKeyData }),
  };
}

interface RunContext {
  readonly clock: Clock;
  readonly observer: CredentialsObserver | undefined;
}

async function requestCredential(
  exec: KubeconfigExec,
  cluster: KubeconfigCluster,
  parts: RunContext,
): Promise<ExecStatus> {
  if (exec.interactiveMode === "Always" && !process.stdin.isTTY)
    throw new TerminalError(
      `the credential program "${exec.command}" needs interactive input, but there is no terminal`,
    );
  const text = await runProgram(exec, JSON.stringify(execInfo(exec, cluster)), parts);
  const answer = parseAnswer(text, exec.command);
  if (answer.kind !== "ExecCredential" || answer.apiVersion !== exec.apiVersion)
    throw new TerminalError(
      `the credential program "${exec.command}" printed ${answer.apiVersion} ${answer.kind}, not the ${exec.apiVersion} ExecCredential that the kubeconfig asks for`,
    );
  if (!answer.status?.token && !answer.status?.clientCertificateData)
    throw new TerminalError(
      `the credential program "${exec.command}" printed neither a token nor a certificate`,
    );
  return answer.status;
}

/** The ExecCredential that the program gets in `KUBERNETES_EXEC_INFO`. */
function execInfo(exec: KubeconfigExec, cluster: KubeconfigCluster): object {
  const extension = cluster.extensions?.find(
    ({ name }) => name === "client.authentication.k8s.io/exec",
  )?.extension;
  return {
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: {
      // Node leaves isTTY undefined, and the field is required.
      interactive:
        exec.interactiveMode !== "Never" && ((process.stdin.isTTY as boolean | undefined) ?? false),
      ...(exec.provideClusterInfo && {
        cluster: {
          server: cluster.server,
          "tls-server-name": cluster["tls-server-name"],
          "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
          "certificate-authority-data": cluster["certificate-authority-data"],
          "proxy-url": cluster["proxy-url"],
          config: extension,
        },
      }),
    },
  };
}

/** Reads the validity of a certificate; undefined if Node can't read it, as the server will report. */
function spanOf(certificate: string | undefined): CertificateSpan | undefined {
  if (certificate === undefined) return undefined;
  try {
    const { validFrom, validTo } = new X509Certificate(certificate);
    return { from: Date.parse(validFrom), to: Date.parse(validTo) };
  } catch {
    return undefined;
  }
}

/** Milliseconds after which a program gets SIGTERM, and after which SIGKILL follows. */
const programTimeout = 60_000;
const killDelay = 5_000;

function runProgram(exec: KubeconfigExec, info: string, { clock, observer }: RunContext): Promise<string> {
  const env: NodeJS.ProcessEnv = { ...process.env, KUBERNETES_EXEC_INFO: info };
  for (const { name, value } of exec.env ?? []) env[name] = value;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void =>
      reject(new Error(`the credential program "${exec.command}" ${why}`, { cause }));
    const child = execFile(exec.command, (exec.args ?? []).map(String), { env }, (error, stdout, stderr) => {
      cancel();
      reportRun(observer, error);
      if (!error) return resolve(stdout);
      if (error.code !== "ENOENT") return fail(`failed: ${stderr.trim() || error.message}`, error);
      fail(`was not found${exec.installHint ? `\n${exec.installHint}` : ""}`, error);
    });
    let cancel = clock.setTimer(() => {
      // Requests stop waiting now: the program may ignore the signal and not end.
      fail(`has not ended within ${programTimeout / 1000} s`);
      child.kill();
      cancel = clock.setTimer(() => {
        child.kill("SIGKILL");
        // A child of its own may hold these open.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, killDelay);
    }, programTimeout);
    child.stdin?.end();
  });
}

/** Reports how a program ended, in client-go's words. */
function reportRun(observer: CredentialsObserver | undefined, error: ExecFileException | null): void {
  if (!error) observer?.programRan(0, "no_error");
  else if (typeof error.code === "number") observer?.programRan(error.code, "plugin_execution_error");
  else if (error.signal) observer?.programRan(-1, "plugin_execution_error");
  else if (error.code === "ENOENT" || error.code === "EACCES")
    observer?.programRan(1, "plugin_not_found_error");
  else observer?.programRan(1, "client_internal_error");
}

function parseAnswer(text: string, command: string) {
  try {
    return JSON.parse(text) as { kind?: string; apiVersion?: string; status?: ExecStatus };
  } catch (error) {
    throw new TerminalError(`the credential program "${command}" printed something other than JSON`, {
      cause: error,
    });
  }
}

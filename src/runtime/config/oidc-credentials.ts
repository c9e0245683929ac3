import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { text as textOf } from "node:stream/consumers";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { TerminalError } from "../errors/api-error.ts";
import type { AuthInfo, Credentials } from "../http/config.ts";
import { expirySkew } from "./exec-credentials.ts";
import type { KubeconfigUser } from "./kubeconfig-file.ts";

/** The settings of an `auth-provider` named `oidc`. */
type OIDCSettings = { readonly [key: string]: string };

/**
 * Creates the credentials of a user's `auth-provider`. Throws a `TerminalError` unless it is `oidc`: kubectl removed `gcp`
 * and `azure` in 1.26 in favor of exec credential programs. New tokens are kept in memory; the file is not written.
 */
export function authProviderCredentials({ "auth-provider": provider }: KubeconfigUser): Credentials {
  if (provider?.name !== "oidc")
    throw new TerminalError(
      `the auth-provider "${provider?.name}" of the kubeconfig is no longer supported: use an exec credential program`,
    );
  const settings: OIDCSettings = provider.config ?? {};
  let idToken = settings["id-token"];
  let refreshToken = settings["refresh-token"];
  let running: Promise<string> | undefined;
  return {
    async current({ refresh, clock = systemClock }): Promise<AuthInfo> {
      if (idToken && !refresh && expiryOf(idToken) - expirySkew > clock.now()) return { token: idToken };
      running ??= refreshIdToken(settings, refreshToken)
        .then((tokens) => {
          refreshToken = tokens.refresh_token ?? refreshToken;
          return (idToken = tokens.id_token);
        })
        .finally(() => {
          running = undefined;
        });
      return { token: await running };
    },
  };
}

/** When a JWT expires, in milliseconds since the epoch; 0 if unknown. */
function expiryOf(token: string): number {
  try {
    const [, payload = ""] = token.split(".");
    const { exp } = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as { exp?: number };
    return (exp ?? 0) * 1000;
  } catch {
    return 0;
  }
}

/** Asks the token endpoint that the issuer's discovery document names. Rejects if there is no refresh token. */
async function refreshIdToken(settings: OIDCSettings, refreshToken: string | undefined) {
  const issuer = settings["idp-issuer-url"]?.replace(/\/$/, "");
  if (!issuer || !refreshToken)
    throw new TerminalError(
      "the OIDC token of the kubeconfig has expired, and there is nothing to refresh it with",
    );
  const ca = readAuthority(settings);
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
  const discovery = await sendRequest<{ token_endpoint: string }>(discoveryUrl, { ca });
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    client_id: settings["client-id"] ?? "",
  });
  if (settings["client-secret"]) form.set("client_secret", settings["client-secret"]);
  const tokens = await sendRequest<{ id_token?: string; refresh_token?: string }>(discovery.token_endpoint, {
    ca,
    body: form.toString(),
  });
  if (!tokens.id_token) throw new TerminalError(`${issuer} refreshed the token, but gave no id_token`);
  return { ...tokens, id_token: tokens.id_token };
}

function readAuthority(settings: OIDCSettings): string | undefined {
  const data = settings["idp-certificate-authority-data"];
  if (data) return Buffer.from(data, "base64").toString("utf8");
  const path = settings["idp-certificate-authority"];
  return path ? readFileSync(path, "utf8") : undefined;
}

/** Milliseconds of system time: the provider is a real server, even if a test moves the clock. */
const answerTimeout = 30_000;

/** Sends a GET, or a POST if there is a body, and parses the answer as JSON. Rejects for any other status than 200. */
function sendRequest<T>(url: string, { ca, body }: { ca: string | undefined; body?: string }): Promise<T> {
  const headers = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
  const isSecure = url.startsWith("https:");
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void =>
      reject(new Error(`the OIDC token could not be refreshed at ${url}: ${why}`, { cause }));
    const outgoing = (isSecure ? https : http).request(
      url,
      { method, headers, timeout: answerTimeout, ...(isSecure && ca !== undefined && { ca }) },
      (answer) =>
        void textOf(answer).then(
          (text) => {
            if (answer.statusCode !== 200) return fail(`HTTP ${answer.statusCode} ${text.slice(0, 200)}`);
            try {
              resolve(JSON.parse(text) as T);
            } catch (error) {
              fail("the answer is not JSON", error);
            }
          },
          (error: Error) => fail(error.message, error),
        ),
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer in 30 s")));
    outgoing.on("error", (error) => fail(error.message, error));
    outgoing.end(body);
  });
}

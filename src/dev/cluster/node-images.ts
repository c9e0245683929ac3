import { createReadStream } from "node:fs";
import { type RequestOptions, request } from "node:https";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { TsbuilderError } from "../../shared/errors.ts";

/** The path of the embedded API server that takes archives of images. */
const path = "/tsbuilder.dev/images";

/** Sends an archive of images to the embedded cluster of a kubeconfig, which loads them into its nodes. */
export async function loadIntoNodes(kubeconfig: string, archive: string): Promise<void> {
  const { loadConfig } = await import("@tsbuilder/runtime");
  const { server, ca, credentials } = await loadConfig({ kubeconfig, env: {} });
  const { cert, key, token } = (await credentials?.current({ refresh: false })) ?? {};
  const headers = { "content-type": "application/x-tar", ...(token && { authorization: `Bearer ${token}` }) };
  await send(new URL(path, server), archive, { ca, cert, key, headers });
}

async function send(url: URL, archive: string, options: RequestOptions): Promise<void> {
  const call = request(url, { ...options, method: "POST" });
  const answered = new Promise<{ code: number; message: string }>((resolve, reject) => {
    call.once("error", reject);
    call.once("response", (response) => {
      text(response).then((message) => resolve({ code: response.statusCode ?? 0, message }), reject);
    });
  });
  const sent = pipeline(createReadStream(archive), call);
  const { code, message } = await Promise.race([answered, sent.then(() => answered)]).catch(
    (error: NodeJS.ErrnoException) => {
      const isHere = error.path === archive;
      throw new TsbuilderError(
        isHere
          ? `cannot read "${archive}": ${error.message}`
          : `the cluster at ${url.host} does not respond: ${error.message}`,
        {
          code: isHere ? "NOT_FOUND" : "CLUSTER_UNREACHABLE",
          hint: isHere
            ? "name an archive of images, as docker save writes it"
            : "start it in another terminal: npx tsbuilder dev --nodes 1",
          cause: error,
        },
      );
    },
  );
  if (code === 200) return;
  throw new TsbuilderError(`"${archive}" was not loaded: ${messageOf(message)}`, {
    code: code === 404 ? "NOT_FOUND" : "REFUSED",
    hint:
      code === 404
        ? "start the cluster with nodes: npx tsbuilder dev --nodes 1, or tsbuilder cluster start --nodes 1"
        : "use an archive of images, as docker save writes it, and the kubeconfig of an administrator",
  });
}

/** The message of a Status, or the text of a response that is none. */
function messageOf(body: string): string {
  try {
    return (JSON.parse(body) as { message: string }).message;
  } catch {
    return body.trim();
  }
}

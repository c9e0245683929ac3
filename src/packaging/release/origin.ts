/** The page of the repository that packages name: provenance is refused if it is not that of the workflow. */
export function findRepository(
  remote: string | undefined,
  { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = server && name ? `${server}/${name}` : (remote ?? "");
  const web = url.replace(/^(?:ssh:\/\/git@([^:/]+)(?::\d+)?\/|git@([^:/]+):)/u, "https://$1$2/");
  if (!web.startsWith("https://")) return undefined;
  const page = new URL(web);
  // A token in the address of the remote must not be published.
  page.username = "";
  page.password = "";
  return page.href.replace(/(?:\.git)?\/?$/u, "");
}

/** The fields of a package's `package.json` that say where it comes from; `directory` is its folder there. */
export function originOf(page: string, directory: string): Readonly<Record<string, unknown>> {
  const inside = directory === "." ? {} : { directory };
  return {
    homepage: `${page}${directory === "." ? "" : `/tree/HEAD/${directory}`}#readme`,
    bugs: `${page}/issues`,
    repository: { type: "git", url: `git+${page}.git`, ...inside },
  };
}

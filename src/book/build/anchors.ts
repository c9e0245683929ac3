/** The anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

/** The anchors of a Markdown file. */
export function anchorsOf(text: string): Set<string> {
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  return new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Escapes a field's name for a CEL rule, as Kubernetes does for reserved words and symbols. */
export function celName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  return name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__");
}

/** Returns whether a CEL rule can name a field: those with spaces, for example, have no escaped form. */
export function hasCelName(name: string): boolean {
  return /^[A-Za-z_./-][\w./-]*$/u.test(name);
}

/** A value in a CEL rule; a double always has a fraction or an exponent, because CEL does not convert integers. */
export function celLiteral(value: string | number | boolean, isDouble = false): string {
  if (typeof value === "string") {
    const escaped = value.replaceAll(/['\\\p{Cc}]/gu, (char) => {
      if (char === "'" || char === "\\") return `\\${char}`;
      return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    });
    return `'${escaped}'`;
  }
  const text = String(value);
  return isDouble && /^-?\d+$/u.test(text) ? `${text}.0` : text;
}

/** Standard base64 with padding; the API server rejects the empty string. */
export function isBase64(value: string): boolean {
  return value.length > 0 && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

/** 24 hexadecimal digits. */
export function isBsonObjectId(value: string): boolean {
  return /^[0-9a-fA-F]{24}$/.test(value);
}

/** Three or six hexadecimal digits; the `#` is optional. */
export function isHexColor(value: string): boolean {
  return /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(value);
}

/** `rgb(r,g,b)` with three numbers of at most 255. */
export function isRGBColor(value: string): boolean {
  const match =
    /^rgb\([\t\n\f\r ]*(\d+)[\t\n\f\r ]*,[\t\n\f\r ]*(\d+)[\t\n\f\r ]*,[\t\n\f\r ]*(\d+)[\t\n\f\r ]*\)$/.exec(
      value,
    );
  return (
    match !== null && match.slice(1).every((part) => String(Number(part)) === part && Number(part) < 256)
  );
}

/** A US social security number with separators: eleven characters. */
export function isSSN(value: string): boolean {
  return value.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(value);
}

/** A UUID in upper or lower case, with or without dashes; checks the version if one is given. */
export function isUUID(value: string, version?: 3 | 4 | 5): boolean {
  const match =
    /^[0-9a-f]{8}-?[0-9a-f]{4}-?([0-9a-f])[0-9a-f]{3}-?([0-9a-f])[0-9a-f]{3}-?[0-9a-f]{12}$/i.exec(value);
  if (!match) return false;
  if (version === undefined) return true;
  if (match[1] !== String(version)) return false;
  return version === 3 || "89abAB".includes(match[2]!);
}

// SPDX-License-Identifier: BSD-3-Clause
// Quotes the words of a command for a shell: 'my app' 7 ''. Control characters become $'a\n'.
export function commandLine(words) {
  return words.map(shellWord).join(" ");
}

const names = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
  "'": "\\'"
};

function shellWord(word) {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (!/[\x00-\x1f\x7f]/.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const escaped = word.replace(
      /[\x00-\x1f\x7f\\']/g,
      (c) => names[c] ?? `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `$'${escaped}'`;
}

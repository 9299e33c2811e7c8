// SPDX-License-Identifier: BSD-3-Clause
// The data in the page: base64 of zlib streams. Layout of values: analyzer/view/html/pack.hpp.
export async function unpackBytes(base64) {
  const text = base64.trim();
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(text);
  } else {
    const binary = atob(text);
    bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  }
  return inflate(bytes);
}

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers of 32 or 16 bits that stand as planes of bytes.
function planes(bytes, at, count, size) {
  const numbers = size === 4 ? new Uint32Array(count) : new Int16Array(count);
  for (let plane = 0; plane < size; ++plane) {
    const shift = 8 * plane;
    for (let i = 0; i < count; ++i) numbers[i] |= bytes[at + plane * count + i] << shift;
  }
  return numbers;
}

function doubles(bytes, at, count) {
  const interleaved = new Uint8Array(8 * count);
  for (let plane = 0; plane < 8; ++plane) {
    for (let i = 0; i < count; ++i) interleaved[8 * i + plane] = bytes[at + plane * count + i];
  }
  return new Float64Array(interleaved.buffer);
}

// Rows {path, columns, values, total} of a metric; columns is null if there is one value per
// location.
export function unpackRows(bytes, locations) {
  const exact = bytes[0] === 0;
  const rows = planes(bytes, 1, 1, 4)[0];
  let at = 5;
  const paths = planes(bytes, at, rows, 4);
  const counts = planes(bytes, at += 4 * rows, rows, 4);
  at += 4 * rows;
  let all = 0, sparse = 0;
  for (const count of counts) {
    all += count;
    if (count < locations) sparse += count;
  }
  const distances = planes(bytes, at, sparse, 4);
  at += 4 * sparse;
  let values;
  if (exact) {
    values = doubles(bytes, at, all);
  } else {
    const digits = planes(bytes, at, all, 2);
    const exponents = planes(bytes, at + 2 * all, all, 2);
    values = new Float32Array(all);
    for (let i = 0; i < all; ++i) values[i] = digits[i] * 2 ** exponents[i];
  }
  const result = [];
  let value = 0, distance = 0;
  for (let r = 0; r < rows; ++r) {
    const row = {path: paths[r], columns: null, values: values.subarray(value, value += counts[r])};
    if (counts[r] < locations) {
      row.columns = new Uint32Array(counts[r]);
      let column = -1;
      for (let i = 0; i < counts[r]; ++i) row.columns[i] = column += distances[distance++];
    }
    row.total = 0;
    for (const one of row.values) row.total += one;
    result.push(row);
  }
  return result;
}

// SPDX-License-Identifier: BSD-3-Clause
// Decodes the data in the page: zlib streams as text (analyzer/view/html/seven_bits.hpp).
// analyzer/view/html/pack.hpp describes the layout of values.
const kForbidden = [0, 10, 13, 34, 38, 60, 62];

export function bytesOf(text) {
  const bytes = new Uint8Array(Math.floor(2 * text.length * 7 / 8));
  let held = 0, bits = 0, at = 0;
  const put = (seven) => {
    held = held << 7 | seven;
    bits += 7;
    if (bits < 8) return;
    bits -= 8;
    bytes[at++] = held >> bits;
    held &= (1 << bits) - 1;
  };
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    if (code < 128) {
      put(code);
      continue;
    }
    const index = code < 0x500 ? code - 0x100 >> 7 : code - 0x500;
    put(kForbidden[index]);
    if (code < 0x500) put(code & 127);
  }
  return bytes.subarray(0, at);
}

export const unpackBytes = (text) => inflate(bytesOf(text));

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers of 32 or 16 bits that are stored as planes of bytes.
function planes(bytes, at, count, size) {
  const numbers = size === 4 ? new Uint32Array(count) : new Uint16Array(count);
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

function fourDigitValues(bytes, at, count) {
  const rest = planes(bytes, at + 2 * count, count, 2);
  const values = new Float64Array(count);
  const powers = new Map();
  for (let i = 0; i < count; ++i) {
    const code = rest[i];
    if (code === 0) continue;
    let power = powers.get(code);
    if (power === undefined) {
      power = code === 65535 ? NaN : (code % 2 ? -1 : 1) * Number("1e" + ((code >> 1) - 400));
      powers.set(code, power);
    }
    values[i] = (1000 + 250 * bytes[at + count + i] + bytes[at + i]) * power;
  }
  return values;
}

// Corrects rounded values. Equal values are rounded in the same way, so their sums would be off. If
// the four digits of all values stay the same, the values are scaled to the exact sum of the row.
function correct(row, sum) {
  const factor = sum / row.total;
  row.total = sum;
  if (!(Math.abs(factor - 1) < 5e-4)) return;
  const most = row.values.reduce((found, value) => Math.max(found, leading(value)), 0);
  if (Math.abs(factor - 1) * most < 0.49)
    row.values.forEach((value, i, all) => all[i] = value * factor);
}

// The first four digits as a number: -0.01234 -> 1234
const leading = (value) =>
    value ? Math.abs(value) / 10 ** (Math.floor(Math.log10(Math.abs(value))) - 3) : 0;

// Rows {path, columns, values, total} of a metric. columns is null if there is one value per
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
  let values, sums = null;
  if (exact) {
    values = doubles(bytes, at, all);
  } else {
    sums = doubles(bytes, at, rows);
    values = fourDigitValues(bytes, at + 8 * rows, all);
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
    if (sums) correct(row, sums[r]);
    result.push(row);
  }
  return result;
}

// Draws each [data-chart] from the table behind it: the table stays the one place of its numbers.
import uPlot from "../vendor/uplot/uPlot.esm.js";
import { locale } from "./words.js";

const HEIGHT = 180;
const DAY_S = 86_400;
const DAYS_APART = [1, 2, 7, 14, 28].map((days) => days * DAY_S);
const dark = matchMedia("(prefers-color-scheme: dark)");
const COLOURS = { clear: "--clear", accent: "--accent", unseen: "--unseen", none: "--none" };
const plots = new Map();

const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
const AXES = {
  count: (value) => (Number.isInteger(value) ? compact.format(value) : ""),
  share: (value) => `${Math.round(value * 100)}%`,
  usd: (value) => `$${value < 1 ? Number(value.toPrecision(2)) : compact.format(value)}`,
  ms: (value) => (value < 1000 ? `${Number(value.toPrecision(3))} ms` : `${compact.format(value / 1000)} s`),
};

function token(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function colourOf(tone) {
  if (tone === "caution") return token(dark.matches ? "--caution" : "--caution-line");
  if (tone === "danger") return token(dark.matches ? "--danger" : "--danger-strong");
  return token(COLOURS[tone]);
}

function readTable(table) {
  const heads = [...table.querySelectorAll("[data-series]")];
  const rows = [...table.tBodies[0].rows].reverse();
  return {
    days: rows.map((row) => Date.parse(row.querySelector("time").dateTime) / 1000),
    series: heads.map((head, index) => ({
      name: head.textContent,
      tone: head.dataset.series,
      values: rows.map((row) => numberOf(row.cells[index + 1])),
      words: rows.map((row) => row.cells[index + 1].textContent),
    })),
  };
}

function numberOf(cell) {
  return "value" in cell.dataset ? Number(cell.dataset.value) : null;
}

// The highest pile first, so that each lower one is drawn over it.
function piled(series) {
  const sums = [];
  const piles = series.map(({ values, ...rest }) => ({
    ...rest,
    values: values.map((value, at) => (sums[at] = (sums[at] ?? 0) + (value ?? 0))),
  }));
  return piles.reverse();
}

function optionsOf(figure, told, drawn, isStack) {
  const line = { stroke: token("--line"), width: 1 };
  const axis = { stroke: token("--text-muted"), grid: line, ticks: line };
  const readout = figure.querySelector("[data-readout]");
  return {
    width: figure.querySelector("[data-plot]").clientWidth,
    height: HEIGHT,
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: (_, from, to) => [from - DAY_S / 2, to + DAY_S / 2] },
      y: { range: (_, from, to) => [0, figure.dataset.unit === "share" ? 1 : top(to)] },
    },
    axes: [
      { ...axis, size: 30, incrs: DAYS_APART, values: (_, at) => at.map(dayOf) },
      { ...axis, size: 64, values: (_, at) => at.map(AXES[figure.dataset.unit]) },
    ],
    series: [{}, ...drawn.map((each, index) => lookOf(each, index, isStack))],
    hooks: { setCursor: [(plot) => { readout.textContent = said(told, plot.cursor.idx); }] },
  };
}

function top(highest) {
  return highest > 0 ? highest * 1.1 : 1;
}

function dayOf(seconds) {
  return day.format(new Date(seconds * 1000));
}

function lookOf({ tone }, index, isStack) {
  const colour = colourOf(tone);
  if (isStack) {
    const paths = uPlot.paths.bars({ size: [0.7, 40] });
    return { fill: colour, stroke: colour, width: 0, paths, points: { show: false } };
  }
  return { stroke: colour, width: 2, dash: index ? [6, 4] : undefined, spanGaps: true };
}

function said({ days, series }, at) {
  if (at === null || at === undefined) return "";
  return `${dayOf(days[at])}: ${series.map(({ name, words }) => `${name} ${words[at]}`).join(", ")}`;
}

function draw(figure) {
  const place = figure.querySelector("[data-plot]");
  if (!place) return;
  plots.get(figure)?.destroy();
  const told = readTable(figure.querySelector("table"));
  const isStack = figure.dataset.chart === "stack";
  const drawn = isStack ? piled(told.series) : told.series;
  const data = [told.days, ...drawn.map(({ values }) => values)];
  plots.set(figure, new uPlot(optionsOf(figure, told, drawn, isStack), data, place));
}

function drawAll() {
  document.querySelectorAll("[data-chart]").forEach(draw);
}

const widths = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    plots.get(target.closest("[data-chart]"))?.setSize({ width: contentRect.width, height: HEIGHT });
  }
});

drawAll();
dark.addEventListener("change", drawAll);
document.querySelectorAll("[data-plot]").forEach((place) => widths.observe(place));

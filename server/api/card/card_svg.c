/* Draws the card of a device as SVG. */
#include "card.h"

#include "results/svg_text.h"

#include "core/clock.h"
#include "core/format.h"

#include <math.h>
#include <string.h>

/* In px. */
enum {
    WIDTH = LAB_CARD_WIDTH,
    HEIGHT = LAB_CARD_HEIGHT,
    LEFT = 40,
    TOP = 128,
    ROW = 38,
    BAR_LEFT = 250,
    BAR_WIDTH = 200,
    VALUE_LEFT = 466,
    SHARE_RIGHT = 654,
    RANK_LEFT = 668,
    RIGHT_LEFT = 790, /* of the column at the right */
    RIGHT = 1160,
    STAIRS_TOP = 150,
    LEVEL_WIDTH = 64, /* of the text of a latency */
    STAIRS_BOTTOM = 360,
    CHECKS_TOP = 440,
    LINE = 24,
    LABEL = 44, /* characters */
};

static const char *const grey = "#555c63", *const good = "#00755a", *const fair = "#8a6800", *const bad = "#b01f5c",
                         *const blue = "#0860a8";

/* --- texts -------------------------------------------------------------------------------------------------------- */

static const char *ordinal_ending(size_t number)
{
    if (number % 100 >= 11 && number % 100 <= 13)
        return "th";
    return number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
}

static void rank_text(const struct lab_card_rank *rank, char *text, size_t size)
{
    text[0] = '\0';
    if (rank->of > 1)
        snprintf(text, size, "%zu%s of %zu", rank->place, ordinal_ending(rank->place), rank->of);
}

void lab_card_figure_text(const struct lab_card_figure *figure, char *text, size_t size)
{
    char value[LAB_FORMAT_SIZE], share[LAB_FORMAT_SIZE];
    int used = snprintf(text, size, "%s", lab_format_quantity(figure->value, figure->unit, value));
    if (isfinite(figure->share) && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", %s of %s", lab_format_share(figure->share, share), figure->whole);
}

void lab_card_verdict_text(const struct lab_card *card, char *text, size_t size)
{
    if (card->verdict == NULL)
        snprintf(text, size, "Not checked yet");
    else if (card->failures + card->warnings == 0)
        snprintf(text, size, "Healthy: %zu checks passed", card->ok);
    else
        snprintf(text, size, "%s: %zu failed, %zu warned, %zu passed",
                 card->failures > 0 ? "Unhealthy" : "Healthy, with warnings", card->failures, card->warnings, card->ok);
}

static void open_group(FILE *out, int size, bool bold, const char *colour)
{
    fprintf(out, "<g font-size=\"%d\"%s fill=\"%s\">", size, bold ? " font-weight=\"600\"" : "", colour);
}

static void write_styled(FILE *out, double x, double y, const char *anchor, const char *text, int size, bool bold,
                         const char *colour)
{
    open_group(out, size, bold, colour);
    lab_svg_write_text(out, x, y, anchor, text, 2 * LABEL);
    fputs("</g>\n", out);
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

static void write_figure(FILE *out, const struct lab_card_figure *figure, double y)
{
    char text[LAB_FORMAT_SIZE + LAB_CARD_TEXT];
    double share = isfinite(figure->share) ? fmin(fmax(figure->share, 0), 1) : 0;
    bool known = isfinite(figure->value);
    write_styled(out, LEFT, y + 12, "start", figure->label, 15, false, known ? "#191c1f" : grey);
    if (!known) {
        write_styled(out, BAR_LEFT, y + 12, "start", "not measured", 13, false, grey);
        return;
    }
    if (isfinite(figure->share)) {
        snprintf(text, sizeof text, "of %s", figure->whole);
        write_styled(out, LEFT, y + 27, "start", text, 11, false, grey);
        fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"16\" fill=\"#e6e9ec\"/>\n", BAR_LEFT, y,
                BAR_WIDTH);
        fprintf(out, "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>\n", BAR_LEFT, y,
                share * BAR_WIDTH, blue);
        write_styled(out, SHARE_RIGHT, y + 13, "end", lab_format_share(figure->share, text), 15, true, "#191c1f");
    }
    write_styled(out, VALUE_LEFT, y + 13, "start", lab_format_quantity(figure->value, figure->unit, text), 15, false,
                 "#191c1f");
    rank_text(&figure->rank, text, sizeof text);
    write_styled(out, RANK_LEFT, y + 13, "start", text, 13, false, grey);
}

/* --- the latency stairs ------------------------------------------------------------------------------------------- */

struct plot {
    double x_low, x_high, y_low, y_high; /* logarithms */
};

static double x_at(const struct plot *plot, double bytes)
{
    return RIGHT_LEFT + 8 +
           (log2(bytes) - plot->x_low) / fmax(plot->x_high - plot->x_low, 1) * (RIGHT - RIGHT_LEFT - 8);
}

static double y_at(const struct plot *plot, double seconds)
{
    return STAIRS_BOTTOM -
           (log2(seconds) - plot->y_low) / fmax(plot->y_high - plot->y_low, 1) * (STAIRS_BOTTOM - STAIRS_TOP);
}

static struct plot plot_of(const struct lab_card *card)
{
    struct plot plot = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < card->stair_count; i++) {
        const struct lab_card_stair *stair = &card->stairs[i];
        if (!(stair->seconds > 0))
            continue;
        plot.x_low = fmin(plot.x_low, log2(stair->bytes));
        plot.x_high = fmax(plot.x_high, log2(stair->bytes));
        plot.y_low = fmin(plot.y_low, log2(stair->seconds) - 0.5);
        plot.y_high = fmax(plot.y_high, log2(stair->seconds) + 1);
    }
    return plot;
}

/* Writes the latency of each level at the middle one of its working sets. */
static void write_levels(FILE *out, const struct lab_card *card, const struct plot *plot)
{
    char text[LAB_FORMAT_SIZE];
    for (size_t first = 0, end; first < card->stair_count; first = end) {
        for (end = first + 1; end < card->stair_count && card->stairs[end].level == card->stairs[first].level;)
            end++;
        const struct lab_card_stair *middle = &card->stairs[(first + end) / 2];
        if (middle->seconds > 0)
            write_styled(out, fmin(x_at(plot, middle->bytes), RIGHT - LEVEL_WIDTH / 2.0),
                         y_at(plot, middle->seconds) - 10, "middle", lab_format_seconds(middle->seconds, text), 13,
                         true, "#191c1f");
    }
}

static void write_stairs(FILE *out, const struct lab_card *card)
{
    char text[LAB_FORMAT_SIZE], move = 'M';
    struct plot plot = plot_of(card);
    write_styled(out, RIGHT_LEFT, TOP + 8, "start", "Latency of a load by working set", 15, true, "#191c1f");
    if (!(plot.x_high >= plot.x_low)) {
        write_styled(out, RIGHT_LEFT, STAIRS_TOP + 30, "start", "not measured", 13, false, grey);
        return;
    }
    fprintf(out, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"%s\"/>\n<path d=\"", RIGHT_LEFT, STAIRS_TOP,
            STAIRS_BOTTOM, RIGHT, grey);
    for (size_t i = 0; i < card->stair_count; i++)
        if (card->stairs[i].seconds > 0) {
            fprintf(out, "%c%.1f %.1f", move, x_at(&plot, card->stairs[i].bytes), y_at(&plot, card->stairs[i].seconds));
            move = 'L';
        }
    fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", blue);
    write_levels(out, card, &plot);
    write_styled(out, RIGHT_LEFT + 8, STAIRS_BOTTOM + 20, "start", lab_format_bytes(exp2(plot.x_low), text), 13, false,
                 grey);
    write_styled(out, RIGHT, STAIRS_BOTTOM + 20, "end", lab_format_bytes(exp2(plot.x_high), text), 13, false, grey);
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

static void write_verdict(FILE *out, const struct lab_card *card)
{
    char text[128];
    const char *colour = card->verdict == NULL ? grey : card->failures > 0 ? bad : card->warnings > 0 ? fair : good;
    fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"8\" fill=\"%s\"/>\n", RIGHT_LEFT + 8, CHECKS_TOP - 6, colour);
    lab_card_verdict_text(card, text, sizeof text);
    write_styled(out, RIGHT_LEFT + 26, CHECKS_TOP, "start", text, 18, true, colour);
    if (card->check_count == 0)
        return;
    snprintf(text, sizeof text, "Among the cards of this model in the lab:");
    write_styled(out, RIGHT_LEFT, CHECKS_TOP + 30, "start", text, 13, false, grey);
    for (size_t i = 0; i < card->check_count; i++) {
        double y = CHECKS_TOP + 54 + (double)i * LINE;
        write_styled(out, RIGHT_LEFT, y, "start", card->checks[i].label, 15, false, "#191c1f");
        rank_text(&card->checks[i].rank, text, sizeof text);
        write_styled(out, RIGHT, y, "end", text, 15, true, "#191c1f");
    }
}

/* --- the picture -------------------------------------------------------------------------------------------------- */

/* "Figures as shares of peak. Measured 2026-11-28." */
static void write_head(FILE *out, const struct lab_card *card)
{
    char at[LAB_TIME_SIZE], text[160];
    write_styled(out, LEFT, 62, "start", card->model, 34, true, "#191c1f");
    if (card->measured_at != LAB_NO_TIME) {
        lab_time_text(card->measured_at, at);
        snprintf(text, sizeof text, "What it reaches, as a share of its peak; measured %.10s", at);
    } else {
        snprintf(text, sizeof text, "What it reaches, as a share of its peak; nothing is measured yet");
    }
    write_styled(out, LEFT, 92, "start", text, 16, false, grey);
    write_styled(out, RIGHT, 62, "end", "gpulab", 26, true, blue);
}

static bool has_rank(const struct lab_card *card)
{
    for (size_t i = 0; i < LAB_CARD_FIGURES; i++)
        if (card->figures[i].rank.of > 1)
            return true;
    return false;
}

/* The card in words: "Healthy: 26 checks passed. Copy from the host: 55.05 GB/s, 87.4 % of PCIe gen5 x16. ..." */
static void write_description(FILE *out, const struct lab_card *card)
{
    char text[2 * LAB_CARD_TEXT];
    lab_card_verdict_text(card, text, sizeof text);
    lab_svg_write_cut(out, text, sizeof text);
    for (size_t i = 0; i < LAB_CARD_FIGURES; i++) {
        if (!isfinite(card->figures[i].value))
            continue;
        lab_card_figure_text(&card->figures[i], text, sizeof text);
        fprintf(out, ". %s: ", card->figures[i].label);
        lab_svg_write_cut(out, text, sizeof text);
    }
}

void lab_card_write(const struct lab_card *card, FILE *out)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "font-family=\"system-ui, sans-serif\" font-size=\"15\" fill=\"#191c1f\">\n<title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    lab_svg_write_cut(out, card->model, LAB_CARD_TEXT);
    fputs("</title>\n<desc>", out);
    write_description(out, card);
    fputs("</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
    write_head(out, card);
    for (size_t i = 0; i < LAB_CARD_FIGURES; i++)
        write_figure(out, &card->figures[i], TOP + (double)i * ROW);
    write_stairs(out, card);
    write_verdict(out, card);
    if (has_rank(card))
        write_styled(out, LEFT, HEIGHT - 22, "start",
                     "Places are among the lab's cards of this model and the published figures.", 12, false, grey);
    fputs("</svg>\n", out);
}

// SPDX-License-Identifier: BSD-3-Clause
// The messages of a process one after the other, with their predicted times as lengths.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "plan/schedule_picture.hpp"
#include "schedule/work.hpp"
#include "size_text.hpp"

namespace plan {

using tools::Anchor;
using tools::Point;
using tools::Svg;

namespace {

constexpr double timeline_width = 1040;
constexpr double timeline_right = 850; // the end of time; words stand behind bars
constexpr double row_height = 24;
constexpr double head_height = 34;
constexpr double timeline_top = 112;
constexpr std::size_t most_rows = 16; // of a phase; one bar stands for the rest

class Timeline {
public:
    explicit Timeline(const Course& course) : course_(course), bytes_(course.setting->bytes)
    {
        double phases_ps = 0;
        for (const Stage& stage : course.stages) {
            phases_ps += time_of(work_of(stage));
            for (const Message& message : stage.sent)
                left_ = std::max(left_, 60 + tools::text_width(partner(message), 13));
        }
        left_ = std::min(left_, timeline_right - 200);
        // The prediction is for the busiest process, and counts messages between nodes.  This process's
        // phases are scaled to the same sum.
        end_ps_ = static_cast<double>(course.plan.choice.cost_ps);
        scale_ = phases_ps > 0 ? end_ps_ / phases_ps : 0;
    }

    Svg draw()
    {
        double height = timeline_top + 70;
        for (const Stage& stage : course_.stages)
            height += head_height + static_cast<double>(rows_of(stage)) * row_height;
        const tools::Specification& what = course_.setting->specification;
        const std::string title = fmt::format("{}, in {}", title_of(course_),
                                              time_text(course_.plan.choice.cost_ps, in_a_picture));
        Svg svg(timeline_width, height, title,
                "The messages of one process in the phases of the schedule, over predicted time.");
        svg.text({40, 38}, title, {.size = 18, .bold = true});
        svg.text({40, 61},
                 fmt::format("{} on {} with {}: {}, {}, blocks of {}, {}", what.collective_text,
                             what.grid_text, what.stencil_text, course_.plan.algorithm->name,
                             course_.process_text(), tools::size_text(bytes_), course_.setting->nodes_text),
                 {.size = 13, .color = tools::pale_ink});
        draw_axis(svg, height - 60);
        double y = timeline_top;
        double time = 0;
        for (std::size_t j = 0; j < course_.stages.size(); ++j) draw_stage(svg, j, y, time);
        return svg;
    }

private:
    static std::string partner(const Message& message) { return "to " + offset_text(message.step); }

    static std::size_t rows_of(const Stage& stage)
    {
        return std::min(stage.sent.size(), most_rows) + 1; // and the wait
    }

    std::int64_t reduced_bytes(const Stage& stage) const
    {
        if (!course_.reduces()) return 0;
        return ortho::base::times_plus(stage.blocks_in, bytes_, 0);
    }
    ortho::schedule::Work work_of(const Stage& stage) const
    {
        ortho::schedule::Work work{.phases = stage.sent.empty() ? 0 : 1,
                                   .messages = std::ssize(stage.sent),
                                   .reduced_bytes = reduced_bytes(stage)};
        for (const Message& message : stage.sent) work.blocks += message.blocks;
        work.bytes = ortho::base::times_plus(work.blocks, bytes_, 0);
        return work;
    }
    double time_of(const ortho::schedule::Work& work) const
    {
        return static_cast<double>(
            ortho::schedule::predict(course_.setting->machine, course_.setting->layout, work));
    }
    /// The parts of a phase, which add up to its predicted time.
    struct Parts {
        double sending; ///< of all messages; times that hide behind each other count once
        double on_the_way;
        double reducing;
    };
    Parts parts_of(const Stage& stage) const
    {
        const double whole = time_of(work_of(stage));
        const double reducing = time_of({.reduced_bytes = reduced_bytes(stage)});
        const double on_the_way = std::min(whole - reducing, stage.sent.empty() ? 0 : time_of({.phases = 1}));
        return {scale_ * (whole - reducing - on_the_way), scale_ * on_the_way, scale_ * reducing};
    }
    /// The time that the message would take alone.
    double weight_of(const Message& message) const
    {
        return time_of({.messages = 1,
                        .blocks = message.blocks,
                        .bytes = ortho::base::times_plus(message.blocks, bytes_, 0)});
    }

    double x(double time) const { return left_ + (timeline_right - left_) * time / std::max(1.0, end_ps_); }

    void draw_axis(Svg& svg, double bottom) const
    {
        // About ten ticks, at 1, 2 or 5 times a power of ten.
        double tick = std::pow(10.0, std::floor(std::log10(std::max(1.0, end_ps_) / 10)));
        for (const double factor : {2.0, 2.5, 2.0})
            if (end_ps_ / tick > 12) tick *= factor;
        const double unit = tick >= 1e9 ? 1e9 : tick >= 1e6 || end_ps_ >= 1e6 ? 1e6 : 1e3;
        const char* const name = unit == 1e9 ? "ms" : unit == 1e6 ? "\u00b5s" : "ns";
        for (double time = 0; time <= end_ps_ * 1.0001; time += tick) {
            svg.line({x(time), timeline_top - 12}, {x(time), bottom}, {.color = tools::hairline});
            svg.text({x(time), bottom + 18}, fmt::format("{:g}", std::round(1000 * time / unit) / 1000),
                     {.size = 13, .anchor = Anchor::middle});
        }
        svg.text({timeline_right + 40, bottom + 18}, fmt::format("{}, predicted", name), {.size = 13});
        svg.line({left_, bottom}, {timeline_right, bottom}, {.color = tools::pale_ink});
    }

    void bar(Svg& svg, double y, double from, double to, const char* color, const std::string& words) const
    {
        svg.rectangle({x(from), y + 3}, std::max(1.5, x(to) - x(from)), row_height - 7, color, "none", 2);
        svg.text({x(to) + 7, y + 15.5}, words, {.size = 13, .halo = true});
    }

    void draw_stage(Svg& svg, std::size_t j, double& y, double& time) const
    {
        const Stage& stage = course_.stages[j];
        std::int64_t blocks = 0;
        for (const Message& message : stage.sent) blocks += message.blocks;
        svg.line({40, y}, {timeline_width - 40, y}, {.color = tools::hairline});
        svg.text({40, y + 22},
                 fmt::format("{}: {} with {}, {}",
                             course_.stages.size() == 1
                                 ? "All at once"
                                 : fmt::format("Phase {}, {}", j, course_.group_text(j)),
                             counted(std::ssize(stage.sent), "message"), counted(blocks, "block"),
                             tools::size_text(blocks * bytes_)),
                 {.size = 13, .bold = true, .halo = true});
        y += head_height;
        const Parts parts = parts_of(stage);
        double weights = 0;
        for (const Message& message : stage.sent) weights += weight_of(message);
        const auto share_of = [&](const Message& message) {
            return weights > 0 ? parts.sending * weight_of(message) / weights : 0;
        };
        const std::size_t single = stage.sent.size() <= most_rows ? stage.sent.size() : most_rows - 1;
        for (std::size_t i = 0; i < single; ++i) {
            const Message& message = stage.sent[i];
            const double after = time + share_of(message);
            svg.text({left_ - 12, y + 15.5}, partner(message),
                     {.size = 13, .anchor = Anchor::end, .color = tools::pale_ink});
            bar(svg, y, time, after, tools::blue,
                fmt::format("{}, {}", counted(message.blocks, "block"),
                            tools::size_text(message.blocks * bytes_)));
            y += row_height;
            time = after;
        }
        if (single < stage.sent.size()) {
            const auto more = static_cast<std::int64_t>(stage.sent.size() - single);
            std::int64_t in_them = 0;
            double after = time;
            for (std::size_t i = single; i < stage.sent.size(); ++i) {
                in_them += stage.sent[i].blocks;
                after += share_of(stage.sent[i]);
            }
            svg.text({left_ - 12, y + 15.5}, fmt::format("to {} more", more),
                     {.size = 13, .anchor = Anchor::end, .color = tools::pale_ink});
            bar(svg, y, time, after, tools::blue,
                fmt::format("{}, {}", counted(in_them, "block"), tools::size_text(in_them * bytes_)));
            y += row_height;
            time = after;
        }
        const double arrived = time + parts.on_the_way;
        const double reduced = arrived + parts.reducing;
        svg.rectangle({x(time), y + 3}, std::max(1.5, x(arrived) - x(time)), row_height - 7, "#DDDDDD",
                      "none", 2);
        if (reduced > arrived)
            svg.rectangle({x(arrived), y + 3}, std::max(1.5, x(reduced) - x(arrived)), row_height - 7,
                          tools::vermilion, "none", 2);
        svg.text({left_ - 12, y + 15.5}, reduced > arrived ? "on the way, reduced" : "on the way",
                 {.size = 13, .anchor = Anchor::end, .color = tools::pale_ink});
        svg.text({x(reduced) + 7, y + 15.5},
                 j + 1 == course_.stages.size() ? time_text(std::llround(reduced), in_a_picture)
                                                : course_.resting_text(j),
                 {.size = 13, .bold = j + 1 == course_.stages.size(), .halo = true});
        y += row_height;
        time = reduced;
    }

    const Course& course_;
    std::int64_t bytes_;
    double end_ps_ = 0;
    double scale_ = 1;  // factor for a phase's own time
    double left_ = 200; // of time 0
};

} // namespace

Svg draw_timeline(const Course& course) { return Timeline(course).draw(); }

Svg draw_schedule(const Course& course)
{
    return fits_panels(course) ? draw_panels(course) : draw_timeline(course);
}

} // namespace plan
